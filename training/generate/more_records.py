"""More kinds of records: mails, issues, tables, documentation, diaries, logs, forms, contacts and others."""

from .bank import EVENTS, PATTERNS, THINGS
from .bare_facts import own_fact
from .events import OwnEvent
from .facts import Said, sentence
from .records import Record, chat, handbook, minutes, notes, page
from .topics import Fault, Rota, Setting, Task
from .words import clock, fill, product, written_date
from .world import chatter, pick, stamp, told


def mail(rng, world):
    """A reply that quotes a mail by the other person."""
    sender, other = rng.sample(world.people, 2)
    focus = world.choose_focus()
    named = focus if rng.random() < 0.4 else ""
    title = (
        rng.choice(["", "Re: ", "Fwd: "]) + sentence(named, "")
        if named
        else fill(rng, rng.choice(PATTERNS["title of mail"]))
    )
    record = Record(title, "mail", rng.choice([written_date(rng), ""]))
    for at, (writer, reader) in enumerate([(sender, other), (other, sender)][: rng.choice([1, 2, 2])]):
        quote = "> " if at else ""
        record.add(Said(quote + f"{rng.choice(['Hi', 'Dear', 'Hello'])} {reader.split()[0]},"), "", writer)
        for _ in range(rng.randint(3, 7)):
            fact = own_fact(rng, writer, world.heldout) if rng.random() < 0.12 else pick(rng, world)
            said = told(rng, fact, named)
            for each in said:
                each.text = quote + each.text
            record.add(said, "", writer)
            record.facts.append(fact)
            if rng.random() < 0.3:
                about = chatter(rng, rng.choice(["about", "asking"]), fact)
                record.add(Said(quote + about.text), "", writer)
        record.add(Said(quote + chatter(rng, "bye").text), "", writer)
    return record


def issue(rng, world):
    """An issue or a pull request: the symptom is the title, and several people comment."""
    fault = Fault(rng, world.givens)
    record = Record(rng.choice([fault.symptom.capitalize(), f"#{rng.randint(10, 4000)} {fault.symptom}"]), "issue")
    record.add(Said(sentence(fault.symptom)), "", rng.choice(world.givens))
    record.facts.append(fault)
    for said in fault.says(rng)[1:]:
        if rng.random() < 0.5:
            record.add(chatter(rng, "any"), "", rng.choice(world.givens), stamp(rng))
        record.add(said, "", rng.choice(world.givens), stamp(rng))
    for _ in range(rng.randint(1, 5)):
        fact = pick(rng, world)
        record.add(fact.says(rng), "", rng.choice(world.givens), stamp(rng))
        record.facts.append(fact)
    return record


def table(rng, world):
    """A table: a header, a row for each thing, sometimes an empty cell and a total."""
    kind, names = world.thing()
    attributes = world.attributes(kind, rng.randint(2, 5))
    names = names + [fill(rng, rng.choice(kind.names)) for _ in range(rng.randint(2, 8))]
    record = Record(fill(rng, rng.choice(PATTERNS["title of table"]), k=kind.name), "table")
    columns = [rng.choice([kind.name.capitalize(), "Name", "Item", "What"])] + [
        rng.choice(each.nouns).capitalize() for each in attributes
    ]
    form = rng.choice(PATTERNS["cell"])
    separator = rng.choice(["; ", "; ", "; ", " | ", ", "]) if form != "{v}" else rng.choice([" | ", " · ", ", "])
    record.add(Said(separator.join(columns)))
    for name in dict.fromkeys(names):
        cells, keys = [form.format(c=columns[0], v=name)], set()
        for column, attribute in zip(columns[1:], attributes):
            fact = world.fact(kind, name, attribute)
            if rng.random() < 0.12:
                cells += rng.choice([[], [], [form.format(c=column, v=rng.choice(["", "–"]))]])
                record.facts.append(fact)
                continue
            cells.append(form.format(c=column, v=f"{fact.value} {fact.qualifier}".strip()))
            keys |= {fact.key, fact.value_key()}
            record.facts.append(fact)
        record.add(Said(separator.join(cells), keys))
    if rng.random() < 0.2:
        record.add(Said(separator.join(["Total"] + [str(rng.randint(20, 4000)) for _ in attributes])))
    return record


def documentation(rng, world):
    """Documentation of a program: how-tos with commands, settings, and facts about the services."""
    tool = product(rng)
    record = Record(fill(rng, rng.choice(PATTERNS["title of documentation"]), t=tool), "documentation")
    for _ in range(rng.randint(3, 8)):
        task = Task(rng, tool)
        heading = rng.choice([f"{task.verbs[0].capitalize()} {task.noun}s", f"{task.noun.capitalize()}s", "How-tos"])
        if rng.random() < 0.5:
            record.add(
                Said(
                    fill(
                        rng,
                        rng.choice(PATTERNS["about a thing in documentation"]),
                        n=task.noun,
                        N=task.noun.capitalize(),
                    )
                ),
                heading,
            )
        record.add(task.says(rng), heading)
        record.facts.append(task)
    for _ in range(rng.randint(0, 8)):
        setting = Setting(rng)
        if setting.name in [fact.subject for fact in record.facts]:
            continue
        record.add(setting.says(rng), "Configuration")
        record.facts.append(setting)
    return record


def diary(rng, world):
    """A diary of one person over many days."""
    author = rng.choice(world.people)
    record = Record(rng.choice(["Diary", "Journal", "notes to self", "", f"Notes of {author}", "Memory"]), "diary")
    for attribute_fact in {
        each.attribute.name: each
        for each in (own_fact(rng, author, world.heldout, True) for _ in range(rng.randint(6, 14)))
    }.values():
        when = written_date(rng)
        if attribute_fact.old and attribute_fact.attribute.changes and rng.random() < 0.5:
            record.add(attribute_fact.old_plain(rng), "", author, when)
        record.add(attribute_fact.says(rng), "", author, written_date(rng))
        record.facts.append(attribute_fact)
        if rng.random() < 0.5:
            record.add(chatter(rng, "any"), "", author, when)
    for _ in range(rng.randint(1, 5)):
        event = OwnEvent(rng, rng.choice(EVENTS))
        record.add(event.says(rng), "", author, written_date(rng))
        record.facts.append(event)
    return record


def log(rng, world):
    """A shift log or a change log: short entries with a time."""
    day = written_date(rng)
    record = Record(fill(rng, rng.choice(PATTERNS["title of log"]), d=day), "log", rng.choice(["", day]))
    for _ in range(rng.randint(8, 18)):
        fact = world.event() if rng.random() < 0.6 else rng.choice(world.facts(2))
        said = fact.says(rng, rng.choice(["sentence", "noun"]))
        said[0].text = rng.choice(PATTERNS["log entry"]).format(c=clock(rng), x=said[0].text)
        record.add(said)
        record.facts.append(fact)
    return record


def form(rng, world):
    """A form about one thing, such as an order or a data sheet, with one field per line."""
    kind, names = world.thing()
    name = rng.choice(names)
    record = Record(sentence(name, ""), "form", rng.choice(["", written_date(rng)]))
    for attribute in world.attributes(kind, 8):
        fact = world.fact(kind, name, attribute)
        if rng.random() < 0.7:
            record.add(fact.says(rng, "field"))
        record.facts.append(fact)
    for _ in range(rng.randint(0, 3)):
        record.add(chatter(rng, "any"))
    record.facts += [
        world.fact(kind, other, each) for other in names if other != name for each in world.attributes(kind, 1)
    ]
    return record


def faq(rng, world):
    """An FAQ: questions as headings, each with its answer and sometimes a sentence that does not answer."""
    record = Record(fill(rng, rng.choice(PATTERNS["title of faq"])), "faq")
    for _ in range(rng.randint(5, 10)):
        fact = pick(rng, world)
        question = fact.questions(rng)[0]
        said = fact.says(rng)
        if not any(question.want & each.told for each in said):
            continue
        heading = sentence(question.text, "?")
        record.add(said, heading)
        if rng.random() < 0.5:
            record.add(chatter(rng, rng.choice(["about", "any"]), fact), heading)
        record.facts.append(fact)
    return record


def contacts(rng, world):
    """A contact list: one line per person with their details."""
    kind = next(each for each in THINGS if each.name == "person")
    attributes = world.attributes(kind, rng.randint(2, 3))
    record = Record(fill(rng, rng.choice(PATTERNS["title of contacts"])), "contacts")
    for name in rng.sample(world.people, rng.randint(5, 10)):
        facts = [world.fact(kind, name, each) for each in attributes if rng.random() < 0.85]
        text = rng.choice([", ", " – ", " | "]).join(
            [name] + [rng.choice([fact.value, f"{fact.attribute.nouns[0]} {fact.value}"]) for fact in facts]
        )
        record.add(Said(text, {key for fact in facts for key in (fact.key, fact.value_key())}))
        record.facts += facts
    return record


def plan(rng, world):
    """A rota or a timetable with a row for each day."""
    record = Record(fill(rng, rng.choice(PATTERNS["title of plan"])), "plan")
    for rota in {each.name: each for each in (Rota(rng, world.givens) for _ in range(rng.randint(1, 3)))}.values():
        record.add(rota.says(rng), rota.name.capitalize())
        record.facts.append(rota)
    for _ in range(rng.randint(1, 4)):
        fact = pick(rng, world)
        record.add(fact.says(rng), "Other")
        record.facts.append(fact)
    return record


KINDS = {
    "page": (page, 4),
    "handbook": (handbook, 6),
    "notes": (notes, 3),
    "minutes": (minutes, 4),
    "chat": (chat, 4),
    "mail": (mail, 4),
    "issue": (issue, 2),
    "table": (table, 3),
    "documentation": (documentation, 3),
    "diary": (diary, 2),
    "log": (log, 2),
    "form": (form, 2),
    "faq": (faq, 1),
    "contacts": (contacts, 1),
    "plan": (plan, 1),
}
HELD_KINDS = ["faq"]
"""Kinds that occur in the held-out part only."""
