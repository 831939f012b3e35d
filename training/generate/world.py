"""An invented organization: its people and things, its facts, and incidental sentences."""

from .bank import CHATTER, EVENTS, PATTERNS, THINGS
from .bare_facts import BareFact
from .events import EventFact
from .facts import AttributeFact, Said, sentence
from .topics import Permission, Process
from .words import LISTS, clock, draw, fill, written_date

THINGS_PER_KIND = (2, 4)
FOCUS_SHARE = 0.5
"""Share of facts about the thing in focus, and share of the other facts that are about its siblings."""


class World:
    """An organization: its people and things, and one set of facts that is consistent across its records."""

    def __init__(self, rng, heldout=False):
        self.rng, self.heldout = rng, heldout
        self.name = fill(rng, "[the|] {stem} " + rng.choice(LISTS["trade"]))
        givens, surnames = rng.sample(LISTS["given"], 10), rng.sample(LISTS["surname"], 10)
        self.people = [f"{given} {surname}" for given, surname in zip(givens, surnames)]
        self.givens = givens
        self.things, self.known, self.focus = [], {}, None
        for kind in rng.sample(THINGS, 7):
            names = kind.names if rng.random() < 0.4 else [rng.choice(kind.names)]
            for _ in range(rng.randint(*THINGS_PER_KIND)):
                name = fill(rng, rng.choice(names)) if kind.name != "person" else self.people[len(self.things) % 10]
                if name not in [each for _, each in self.things]:
                    self.things.append((kind, name))

    def thing(self, kinds=None):
        """Returns a kind and names of sibling things, which are easily confused with each other."""
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

    def choose_focus(self):
        """Chooses the main subject of a record and returns its name."""
        self.focus = self.rng.choice(self.things)
        return self.focus[1]

    def facts(self, count):
        """Returns many facts about the thing in focus, or some about siblings with partly different attributes."""
        if self.focus and self.rng.random() < FOCUS_SHARE:
            kind, name = self.focus
            return [self.fact(kind, name, each) for each in self.attributes(kind, count)]
        kind, names = self.thing([self.focus[0]] if self.focus and self.rng.random() < FOCUS_SHARE else None)
        pairs = [(name, each) for name in names for each in self.attributes(kind, 4)]
        return [self.fact(kind, *pair) for pair in self.rng.sample(pairs, min(count, len(pairs)))]

    def event(self):
        rng = self.rng
        return EventFact(rng, rng.choice(EVENTS), rng.choice(self.givens if rng.random() < 0.5 else self.people))


def chatter(rng, key, fact=None):
    """Returns a sentence that answers no question. If a fact is given, the sentence is about its thing."""
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
    """Returns a fact for prose: about a thing, an event, a permission or a way to get something."""
    draw_fact = rng.choices(
        [lambda: rng.choice(world.facts(3)), world.event, lambda: Permission(rng), lambda: Process(rng)], [6, 6, 1, 1]
    )[0]
    return draw_fact()


def told(rng, fact, named="", plain="sentence"):
    """Returns a fact's statements. If the context names the thing, they often say "it" or "the room", or are fields."""
    if not isinstance(fact, AttributeFact) or fact.subject.lower() != named.lower() or rng.random() < 0.25:
        return fact.says(rng, rng.choice(["sentence", "sentence", plain]))
    kind = fact.attribute.kind
    name = rng.choice(["she", "he", "they"]) if kind == "person" else rng.choice(["it", "it", f"the {kind}"])
    style = rng.choice(["sentence", "sentence", "field"])
    return fact.says(rng, style, name if rng.random() < 0.75 else None)
