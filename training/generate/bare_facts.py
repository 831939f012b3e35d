"""Facts without a noun for their attribute: what people say about themselves, and rules of a topic."""

from .bank import PATTERNS, PERSONAL, POLICIES
from .facts import AttributeFact, Said, sentence
from .words import draw


class BareFact(AttributeFact):
    """A fact whose statements and questions come only from its own templates."""

    def says(self, rng, style="sentence", name=None):
        if self.old and self.attribute.changes and rng.random() < 0.8:
            text = self.fill(rng, rng.choice(self.attribute.changes))
            return [Said(sentence(text), {self.key, self.told_old, self.changed})]
        return [Said(sentence(self.plain(rng)), {self.key})]

    def asks(self):
        return self.attribute.asks

    def questions(self, rng, heldout=False):
        asked = self.asked(rng, self.asks(), {self.key}, heldout)
        if self.old and rng.random() < 0.3:
            asked.text += rng.choice(PATTERNS["asks, now"])
        return [asked]

    def ask_unstated(self, rng, other, heldout, near):
        return other.asked(rng, other.asks(), {other.key}, heldout, near)


class OwnFact(BareFact):
    """A fact that a person states about themselves. Others ask by name; the author of a diary asks with "I"."""

    def __init__(self, rng, attribute, author, by_author=False):
        super().__init__(rng, attribute, author)
        self.by_author = by_author
        self.slots["given2"] = draw(rng, "given")

    def fill(self, rng, template, **more):
        name = self.subject if rng.random() < 0.5 else self.subject.split()[0]
        return super().fill(rng, template, a=name, **more)

    def asks(self):
        return self.attribute.asks if self.by_author else self.attribute.others_ask

    def near_misses(self, rng, heldout=False):
        other = rng.choice([each for each in usable(PERSONAL, heldout) if each is not self.attribute])
        return [self.ask_unstated(rng, OwnFact(rng, other, self.subject, self.by_author), heldout, "other attribute")]


class PolicyFact(BareFact):
    """A rule of a topic, such as how many days of holiday there are."""

    def __init__(self, rng, attribute, topic):
        super().__init__(rng, attribute, topic.names[0])
        self.topic = topic

    def near_misses(self, rng, heldout=False):
        topic = self.topic if rng.random() < 0.75 else rng.choice(POLICIES)
        others = [each for each in usable(topic.attributes, heldout) if each is not self.attribute]
        near = "other attribute" if topic is self.topic else "other topic"
        return [self.ask_unstated(rng, PolicyFact(rng, rng.choice(others), topic), heldout, near)] if others else []


def usable(attributes, heldout):
    return [each for each in attributes if heldout or not each.held]


def own_fact(rng, author, heldout, by_author=False):
    return OwnFact(rng, rng.choice(usable(PERSONAL, heldout)), author, by_author)


def policy_facts(rng, heldout):
    """Returns a topic with a sample of its rules."""
    topic = rng.choice(POLICIES)
    attributes = usable(topic.attributes, heldout)
    chosen = rng.sample(attributes, min(len(attributes), rng.randint(2, 5)))
    return topic, [PolicyFact(rng, each, topic) for each in chosen]
