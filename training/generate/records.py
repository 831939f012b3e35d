"""Writes records of many kinds about an invented organization: pages, notes, minutes, chats and others.

Each function lays facts out as statements with their context: title › heading · speaker · date.
"""

from dataclasses import dataclass, field

from .bank import PATTERNS
from .bare_facts import own_fact, policy_facts
from .facts import Said, sentence
from .topics import Permission, Process
from .words import draw, fill, written_date
from .world import chatter, pick, stamp, told


@dataclass
class Record:
    title: str
    kind: str
    date: str = ""
    statements: list = field(default_factory=list)
    """Pairs of a context and a statement."""
    facts: list = field(default_factory=list)

    def add(self, said, heading="", speaker="", date=""):
        path = " › ".join(dict.fromkeys(part for part in (self.title, heading) if part))
        context = " · ".join(part for part in (path, speaker, date or self.date) if part)
        self.statements += [(context, each) for each in ([said] if isinstance(said, Said) else said)]


def page(rng, world):
    """A page of a handbook or a product: headings with sentences below, often with "it" for the thing."""
    topic = rng.choice([world.name.strip(), draw(rng, "topic")])
    record = Record(fill(rng, rng.choice(PATTERNS["title of page"]), t=topic), "page")
    for _ in range(rng.randint(2, 4)):
        world.choose_focus()
        facts = world.facts(rng.randint(3, 8))
        for subject in dict.fromkeys(fact.subject for fact in facts):
            own = [fact for fact in facts if fact.subject == subject]
            heading = rng.choice([subject, subject, sentence(subject, ""), own[0].attribute.kind + "s"])
            if rng.random() < 0.4:
                record.add(chatter(rng, "about", own[0]), heading)
            for fact in own:
                record.add(told(rng, fact, heading, "noun"), heading)
                record.facts.append(fact)
    for _ in range(rng.choice([0, 0, 1, 2, 3])):
        topic = rng.choice([Permission, Process])(rng)
        record.add(topic.says(rng), draw(rng, "topic").capitalize())
        record.facts.append(topic)
    record.add(chatter(rng, "any"))
    return record


def handbook(rng, world):
    """Rules below headings: the sentences do not repeat the topic, and questions share few words with them."""
    record = Record(fill(rng, rng.choice(PATTERNS["title of handbook"]), t=world.name), "handbook")
    for topic, facts in [policy_facts(rng, world.heldout) for _ in range(rng.randint(2, 5))]:
        heading = rng.choice(topic.names)
        if any(fact.key in [each.key for each in record.facts] for fact in facts):
            continue
        if rng.random() < 0.3:
            record.add(chatter(rng, rng.choice(["any", "about"]), facts[0]), heading)
        for fact in facts:
            record.add(fact.says(rng), heading)
            record.facts.append(fact)
    if rng.random() < 0.5:
        for fact in world.facts(rng.randint(2, 5)):
            record.add(fact.says(rng, rng.choice(["sentence", "noun"])), rng.choice(["Other", "Details", fact.subject]))
            record.facts.append(fact)
    return record


def notes(rng, world):
    """Short notes and bullets of a team or a person."""
    focus, title = world.choose_focus(), fill(rng, rng.choice(PATTERNS["title of notes"]), d=written_date(rng))
    named = focus if rng.random() < 0.5 else ""
    record = Record(rng.choice([named, sentence(named, ""), f"{title} › {named}"]) if named else title, "notes")
    bullet = rng.choice(["", "", "", "- ", "* "])
    for _ in range(rng.randint(8, 18)):
        fact = pick(rng, world)
        said = told(rng, fact, named, "noun")
        for each in said:
            each.text = bullet + (each.text.rstrip(".") if bullet and rng.random() < 0.7 else each.text)
        record.add(said)
        record.facts.append(fact)
        if rng.random() < 0.2:
            record.add(chatter(rng, rng.choice(["any", "about"]), fact))
    return record


def minutes(rng, world):
    """Minutes of a meeting: who was there, what was reported, decided and promised, by heading."""
    day = written_date(rng)
    record = Record(fill(rng, rng.choice(PATTERNS["title of minutes"]), d=day), "minutes", rng.choice([day, ""]))
    record.add(chatter(rng, "any"))
    for number in range(rng.randint(3, 6)):
        named = world.choose_focus() if rng.random() < 0.4 else ""
        heading = sentence(named or draw(rng, "topic"), "")
        heading = f"{number + 1}. {heading}" if rng.random() < 0.6 else heading
        for _ in range(rng.randint(1, 5)):
            fact = world.event() if rng.random() < 0.5 else pick(rng, world)
            said = told(rng, fact, named)
            if rng.random() < 0.3:
                said[0].text = fill(
                    rng, rng.choice(PATTERNS["minutes entry"]), x=said[0].text, p=rng.choice(world.givens)
                )
            record.add(said, heading)
            record.facts.append(fact)
            if rng.random() < 0.25:
                record.add(chatter(rng, "about", fact), heading)
    return record


def asked_and_answered(rng, record, fact, speakers, when, named):
    """Adds a question by one person and an answer by another to a conversation."""
    asker, other = rng.sample(speakers, 2)
    record.add(chatter(rng, "asking", fact), "", asker, when)
    record.add(told(rng, fact, named, "noun"), "", other, when)


def chat(rng, world):
    """A channel with several speakers: statements, questions with answers, corrections and small talk."""
    focus = world.choose_focus()
    named = focus if rng.random() < 0.4 else ""
    record = Record(named or fill(rng, rng.choice(PATTERNS["title of chat"])), "chat")
    speakers = rng.sample(world.people if rng.random() < 0.6 else world.givens, rng.randint(2, 5))
    day = written_date(rng)
    personal = []
    for _ in range(rng.randint(8, 18)):
        when, turn = stamp(rng, day), rng.random()
        fact = pick(rng, world)
        if turn < 0.3 and not isinstance(fact, (Process, Permission)):
            asked_and_answered(rng, record, fact, speakers, when, named)
        elif turn < 0.45:
            speaker = rng.choice(speakers)
            fact = own_fact(rng, speaker, world.heldout)
            if fact.subject + fact.attribute.name in personal:
                continue
            personal.append(fact.subject + fact.attribute.name)
            record.add(fact.says(rng), "", speaker, when)
        else:
            record.add(told(rng, fact, named), "", rng.choice(speakers), when)
        record.facts.append(fact)
        if rng.random() < 0.35:
            record.add(chatter(rng, "any"), "", rng.choice(speakers), when)
    return record
