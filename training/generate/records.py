"""Writes records of many kinds about an invented organisation: pages, notes, minutes, chats and others.

Each function lays facts out as statements with their context: title › heading · speaker · date.
"""

from dataclasses import dataclass, field

from .bank import CHATTER, EVENTS, PATTERNS, THINGS
from .bare_facts import BareFact, own_fact, policy_facts
from .events import EventFact
from .facts import AttributeFact, Said, sentence
from .topics import Permission, Process
from .words import LISTS, clock, draw, fill, written_date

THINGS_PER_KIND = (2, 4)


@dataclass
class Record:
    title: str
    kind: str
    date: str = ""
    statements: list = field(default_factory=list)
    """Pairs of a context and what is said."""
    facts: list = field(default_factory=list)

    def add(self, said, heading="", speaker="", date=""):
        path = " › ".join(dict.fromkeys(part for part in (self.title, heading) if part))
        context = " · ".join(part for part in (path, speaker, date or self.date) if part)
        self.statements += [(context, each) for each in ([said] if isinstance(said, Said) else said)]


JOINS = [" ", " ", "; ", ", and ", " – ", " Also, "]
OPENERS = {
    "The",
    "It",
    "We",
    "You",
    "On",
    "At",
    "A",
    "An",
    "From",
    "Until",
    "Since",
    "There",
    "Before",
    "In",
    "As",
    "She",
    "He",
    "They",
    "Everybody",
    "Please",
    "Our",
    "My",
}
LEAD_SHARE, TAIL_SHARE, JOIN_SHARE = 0.1, 0.08, 0.14
PROSE = ("page", "handbook", "minutes", "chat", "mail", "diary", "issue", "log")


def lowered(text):
    """Returns a text to go on within a sentence: without a capital, unless it begins with a name."""
    return text[:1].lower() + text[1:] if text.split(" ")[0] in OPENERS else text


def roughen(rng, record):
    """Joins statements and adds words that say nothing, as people write."""
    if record.kind not in PROSE:
        return record
    statements = []
    for context, said in record.statements:
        is_plain = said.text.endswith(".") and said.text[:1].isalpha() and said.told
        if is_plain and rng.random() < LEAD_SHARE:
            said.text = fill(rng, rng.choice(PATTERNS["lead"]), x=lowered(said.text))
        if is_plain and rng.random() < TAIL_SHARE:
            said.text = fill(rng, "{x}" + rng.choice(PATTERNS["tail"]), x=said.text[:-1])
        last = statements[-1] if statements else None
        if is_plain and last and last[0] == context and last[1].text.endswith(".") and rng.random() < JOIN_SHARE:
            join = rng.choice(JOINS)
            before = last[1].text if join in (" ", " Also, ") else last[1].text[:-1]
            text = before + join + (said.text if join == " " else lowered(said.text))
            statements[-1] = (context, Said(text, last[1].told | said.told, last[1].maybe | said.maybe))
            continue
        statements.append((context, said))
    record.statements = statements
    return record


class World:
    """An organisation: its people and things, and one set of facts that all its records agree on."""

    def __init__(self, rng, heldout=False):
        self.rng, self.heldout = rng, heldout
        self.name = fill(rng, "[the|] {stem} " + rng.choice(LISTS["trade"]))
        givens, surnames = rng.sample(LISTS["given"], 10), rng.sample(LISTS["surname"], 10)
        self.people = [f"{given} {surname}" for given, surname in zip(givens, surnames)]
        self.givens = givens
        self.things, self.known = [], {}
        for kind in rng.sample(THINGS, 7):
            names = kind.names if rng.random() < 0.4 else [rng.choice(kind.names)]
            for _ in range(rng.randint(*THINGS_PER_KIND)):
                name = fill(rng, rng.choice(names)) if kind.name != "person" else self.people[len(self.things) % 10]
                if name not in [each for _, each in self.things]:
                    self.things.append((kind, name))

    def thing(self, kinds=None):
        """Returns a kind with some of its things: siblings, so that one may be mistaken for another."""
        kind = self.rng.choice(kinds or list({each.name: each for each, _ in self.things}.values()))
        return kind, [name for each, name in self.things if each is kind]

    def fact(self, kind, name, attribute):
        if (name, attribute.name) not in self.known:
            alias = name.split()[0] if kind.name == "person" else ""
            self.known[name, attribute.name] = AttributeFact(self.rng, attribute, name, alias)
        return self.known[name, attribute.name]

    def attributes(self, kind, count):
        usable = [each for each in kind.attributes if self.heldout or not each.held]
        return self.rng.sample(usable, min(count, len(usable)))

    def facts(self, count):
        """Returns facts about a few siblings: some have an attribute that others lack."""
        kind, names = self.thing()
        pairs = [(name, each) for name in names for each in self.attributes(kind, 4)]
        return [self.fact(kind, *pair) for pair in self.rng.sample(pairs, min(count, len(pairs)))]

    def event(self):
        rng = self.rng
        return EventFact(rng, rng.choice(EVENTS), rng.choice(self.givens if rng.random() < 0.5 else self.people))


def chatter(rng, key, fact=None):
    """Returns a sentence that answers nothing; about a fact's thing where one is given."""
    template = rng.choice(CHATTER[key])
    if not fact:
        return Said(fill(rng, template))
    nouns = (
        fact.attribute.nouns
        if isinstance(fact, AttributeFact) and not isinstance(fact, BareFact)
        else ["date", "reason", "list"]
    )
    asked = fact.questions(rng)[0].text
    text = fill(
        rng,
        template,
        s=fact.subject,
        S=sentence(fact.subject, ""),
        noun=rng.choice(nouns),
        q=asked[:1].upper() + asked[1:],
    )
    return Said(text)


def stamp(rng, day=None):
    return rng.choice(PATTERNS["stamp"]).format(d=day or written_date(rng), c=clock(rng), w=draw(rng, "weekday"))


def pick(rng, world):
    """Returns a fact for running text: of a thing, an event, a permission or a way to get something."""
    draw_fact = rng.choices(
        [lambda: rng.choice(world.facts(3)), world.event, lambda: Permission(rng), lambda: Process(rng)], [6, 6, 1, 1]
    )[0]
    return draw_fact()


def page(rng, world):
    """A page of a handbook, a policy or a product: headings with sentences below, often with "it" for the thing."""
    record = Record(
        fill(rng, rng.choice(PATTERNS["title of page"]), t=rng.choice([world.name.strip(), draw(rng, "topic")])), "page"
    )
    for _ in range(rng.randint(3, 5)):
        facts = world.facts(rng.randint(2, 5))
        subjects = {fact.subject for fact in facts}
        for subject in subjects:
            heading = rng.choice([subject, subject, sentence(subject, ""), facts[0].attribute.kind + "s"])
            own = [fact for fact in facts if fact.subject == subject]
            if rng.random() < 0.4:
                record.add(chatter(rng, "about", own[0]), heading)
            for at, fact in enumerate(own):
                named = heading.lower() == subject.lower() and (at or rng.random() < 0.3)
                pronoun = rng.choice(["she", "he", "they"]) if fact.attribute.kind == "person" else "it"
                style = (
                    rng.choice(["sentence", "sentence", "field"])
                    if named
                    else rng.choice(["sentence", "sentence", "noun"])
                )
                record.add(fact.says(rng, style, pronoun if named and rng.random() < 0.6 else None), heading)
                record.facts.append(fact)
    if rng.random() < 0.5:
        for _ in range(rng.randint(1, 3)):
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
    record = Record(fill(rng, rng.choice(PATTERNS["title of notes"]), d=written_date(rng)), "notes")
    bullet = rng.choice(["", "- ", "* ", "• "])
    for _ in range(rng.randint(8, 18)):
        fact = pick(rng, world)
        said = fact.says(rng, rng.choice(["sentence", "noun", "noun"]))
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
        heading = (
            f"{number + 1}. {draw(rng, 'topic').capitalize()}"
            if rng.random() < 0.7
            else draw(rng, "topic").capitalize()
        )
        for _ in range(rng.randint(1, 5)):
            fact = world.event() if rng.random() < 0.65 else pick(rng, world)
            said = fact.says(rng)
            if rng.random() < 0.3:
                said[0].text = fill(
                    rng, rng.choice(PATTERNS["minutes entry"]), x=said[0].text, p=rng.choice(world.givens)
                )
            record.add(said, heading)
            record.facts.append(fact)
            if rng.random() < 0.25:
                record.add(chatter(rng, "about", fact), heading)
    return record


def asked_and_answered(rng, record, fact, speakers, when):
    """Adds a question of one person and the answer of another to a conversation."""
    asker, other = rng.sample(speakers, 2)
    record.add(chatter(rng, "asking", fact), "", asker, when)
    record.add(fact.says(rng, rng.choice(["sentence", "sentence", "noun"])), "", other, when)


def chat(rng, world):
    """A channel with several speakers: statements, questions with answers, corrections and small talk."""
    record = Record(fill(rng, rng.choice(PATTERNS["title of chat"])), "chat")
    speakers = rng.sample(world.people if rng.random() < 0.6 else world.givens, rng.randint(2, 5))
    day = written_date(rng)
    personal = []
    for _ in range(rng.randint(8, 18)):
        when, turn = stamp(rng, day), rng.random()
        fact = pick(rng, world)
        if turn < 0.3 and not isinstance(fact, (Process, Permission)):
            asked_and_answered(rng, record, fact, speakers, when)
        elif turn < 0.45:
            speaker = rng.choice(speakers)
            fact = own_fact(rng, speaker, world.heldout)
            if fact.subject + fact.attribute.name in personal:
                continue
            personal.append(fact.subject + fact.attribute.name)
            record.add(fact.says(rng), "", speaker, when)
        else:
            record.add(fact.says(rng), "", rng.choice(speakers), when)
        record.facts.append(fact)
        if rng.random() < 0.35:
            record.add(chatter(rng, "any"), "", rng.choice(speakers), when)
    return record
