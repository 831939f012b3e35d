"""Facts of an invented organisation: each can be said in many ways and asked for in many ways.

A statement carries the keys of the facts that it tells; a question carries the keys that answer it (`want`) and those
that may (`maybe`). Labels follow from that: 1 where a wanted key is told, -1 (ignored) where a possible one is, else 0.
"""

from dataclasses import dataclass, field

from .bank import CHATTER, is_held, HELD_WORDINGS
from .words import LISTS, choose, date, draw, fill, written_date

NOUN_SAYS = ["the {noun} of {s} is {v}", "{noun} of {s}: {v}", "{s}: {noun} {v}", "{s} – {noun} – {v}", "as {noun} of {s} we have {v} on record"]
NOUN_ASKS = ["what is the {noun} of {s}", "what's {s}'s {noun}", "{s} {noun}", "{noun} {s}", "{noun} of {s}", "do we know the {noun} of {s}",
             "tell me the {noun} of {s}", "I need the {noun} of {s}", "show me the {noun} of {s}", "can you give me the {noun} of {s}"]
FIELD_SAYS = ["{noun}: {v}", "{noun}: {v}", "{noun} – {v}", "{noun} = {v}", "**{noun}**: {v}", "{noun} {v}"]
CHANGES = [
    "the {noun} of {s} is now {v} instead of {w}", "from {d} the {noun} of {s} is {v}, no longer {w}", "the {noun} of {s} is no longer {w} but {v}",
    "correction: the {noun} of {s} is {v}, not {w}", "{s}: {noun} {v} (was {w})", "the {noun} of {s} went from {w} to {v} on {d}",
    "the {noun} of {s} was {w} until {d}; since then it is {v}", "update, {d}: {noun} of {s} changed from {w} to {v}",
]
NEW_SAYS = ["since {d}: {plain}", "as of {d} {plain}", "{plain} now", "new: {plain}", "it is settled: {plain}"]
OLD_SAYS = ["until {d} the {noun} of {s} was {w}", "before, the {noun} of {s} was {w}", "the {noun} of {s} used to be {w}", "in the past {s} had {w} as {noun}",
            "up to {d}: {noun} of {s} {w}"]
OLD_ASKS = ["what was the {noun} of {s} before", "what was the old {noun} of {s}", "what used to be the {noun} of {s}", "what was the {noun} of {s} originally",
            "what was the previous {noun} of {s}", "which {noun} did {s} have until then"]
CHANGE_ASKS = ["how did the {noun} of {s} change", "has the {noun} of {s} changed", "what changed in the {noun} of {s}"]
YES_NO_ASKS = ["is the {noun} of {s} {x}", "is it true that the {noun} of {s} is {x}", "is {x} the {noun} of {s}", "does {s} have {x} as {noun}"]


@dataclass
class Said:
    text: str
    told: set = field(default_factory=set)
    maybe: set = field(default_factory=set)


@dataclass
class Asked:
    text: str
    want: set
    maybe: set = field(default_factory=set)
    """Keys that may answer; one that ends with `*` stands for all keys that begin like it."""
    near: str = ""
    """The kind of near miss that the question is meant to be; empty for a question that is meant to have an answer."""
    held: str = ""


def sentence(text, stop="."):
    """Returns a text with a capital and a full stop."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "?", "!", ":", "`", ",")) else text + stop


def wordings(templates, heldout):
    """Returns the templates that may be used: those held out are left out of the training data."""
    used = [each for each in templates if heldout or not is_held(each, HELD_WORDINGS)]
    return used or templates[:1]


def held_wording(template):
    return "wording" if is_held(template, HELD_WORDINGS) else ""


class AttributeFact:
    """What holds of one thing, such as the price of a product; it may have been another value before."""

    def __init__(self, rng, attribute, subject, alias=""):
        self.attribute, self.subject, self.alias = attribute, subject, alias or subject
        self.slots, self.qualifier = {}, ""
        if attribute.qualifier and rng.random() < 0.35:
            self.qualifier = draw(rng, attribute.qualifier)
        self.value = self.draw_value(rng)
        self.old = self.draw_value(rng, self.value) if rng.random() < 0.3 and "{n2}" not in attribute.kind else ""
        self.stem = f"{subject}|{attribute.name}"
        self.key = f"{self.stem}|{self.qualifier}"
        self.told_old, self.changed = f"{self.key}|old", f"{self.key}|change"

    def draw_value(self, rng, other=None):
        """Draws a value, another one than the given."""
        for _ in range(9):
            value = fill(rng, rng.choice(self.attribute.values))
            if value != other and other not in (value.split(" ")[0], value) and self.subject.lower() not in value.lower():
                break
        return value

    def fill(self, rng, template, **more):
        """Fills a template; slots other than those given keep their value for all that is said of this fact."""
        name = more.pop("name", None) or (self.alias if rng.random() < 0.35 else self.subject)
        given = {"s": name, "v": self.value, "w": self.old, "t": self.attribute.kind, "d": written_date(rng), **more}
        given.setdefault("noun", rng.choice(self.attribute.nouns))
        template = choose(rng, template)
        for slot in [part.split("}")[0] for part in template.split("{")[1:]]:
            if slot not in given and slot not in self.slots and slot != "plain":
                self.slots[slot] = draw(rng, slot)
        given = {**self.slots, **given}
        return fill(rng, template, **given)

    def plain(self, rng, style="sentence", value=None, name=None):
        """Returns what holds: as a sentence, a noun phrase, or a field below a heading with the thing's name."""
        templates = {"sentence": self.attribute.says, "noun": NOUN_SAYS, "field": FIELD_SAYS}[style]
        more = {"v": value} if value else {}
        text = self.fill(rng, rng.choice(templates), name=name, **more)
        if self.qualifier:
            text = f"{text} {self.qualifier}" if rng.random() < 0.7 else f"{self.qualifier}, {text}"
        return text

    def says(self, rng, style="sentence", name=None):
        """Returns statements of what holds, with what held before where there was a change."""
        told = {self.key, self.value_key()}
        if not self.old or rng.random() < 0.15:
            return [Said(sentence(self.plain(rng, style, name=name)), told)]
        own = [each for each in self.attribute.changes for _ in range(3)]
        kind = rng.random()
        if kind < 0.5:
            text = self.fill(rng, rng.choice(own + CHANGES), name=name)
            return [Said(sentence(text + (f" {self.qualifier}" if self.qualifier else "")), told | {self.told_old, self.changed})]
        old = self.fill(rng, rng.choice(OLD_SAYS), name=name) + (f" {self.qualifier}" if self.qualifier else "")
        new = self.fill(rng, rng.choice(NEW_SAYS), plain=self.plain(rng, name=name))
        return [Said(sentence(old), {self.told_old}, {self.changed}), Said(sentence(new), told, {self.changed})]

    def old_plain(self, rng):
        """Returns an earlier statement, made when the old value held."""
        return Said(sentence(self.plain(rng, value=self.old)), set(), {self.key, self.told_old, self.changed})

    def asked(self, rng, templates, want, heldout, near="", **more):
        template = rng.choice(wordings(templates, heldout))
        text = self.fill(rng, template, **more)
        current = self.key in want
        maybe = {f"{self.subject}|{name}|*" for name in self.attribute.alike} | {f"{self.stem}|*"} if current else set()
        held = held_wording(template) or ("attribute" if self.attribute.held else "")
        return Asked(text, want, maybe, near, held)

    def questions(self, rng, heldout=False):
        """Returns questions that a statement of this fact answers."""
        asks = self.attribute.asks + rng.sample(NOUN_ASKS, 2 if len(self.attribute.asks) > 2 else 1)
        found = [self.asked(rng, asks, {self.key}, heldout)]
        if self.qualifier:
            found[0].text += f" {self.qualifier}"
            found[0].maybe = {f"{self.stem}|"}
        if rng.random() < 0.12:
            value = self.value if rng.random() < 0.5 else self.draw_value(rng, self.value)
            found.append(self.asked(rng, YES_NO_ASKS, {self.key}, heldout, x=value))
        if self.old and not self.qualifier:
            found.append(self.asked(rng, OLD_ASKS, {self.told_old}, heldout))
            now = self.asked(rng, self.attribute.asks, {self.key}, heldout)
            now.text += rng.choice([" now", " today", " at the moment", " these days", " currently"])
            found.append(now)
            if rng.random() < 0.3:
                found.append(self.asked(rng, CHANGE_ASKS, {self.changed}, heldout))
        if self.attribute.inverse and not self.qualifier:
            found.append(self.asked(rng, self.attribute.inverse, {self.value_key()}, heldout))
        return found

    def value_key(self):
        return f"={self.attribute.kind}|{self.attribute.name}|{self.value}"

    def near_misses(self, rng, heldout=False):
        """Returns questions close to this fact that no statement of it answers."""
        found = []
        if self.attribute.qualifier:
            other = draw(rng, self.attribute.qualifier)
            if other != self.qualifier:
                asked = self.asked(rng, self.attribute.asks, {f"{self.stem}|{other}"}, heldout, "other day or group")
                asked.text += f" {other}"
                asked.maybe = {f"{self.stem}|"}
                found.append(asked)
        if self.attribute.inverse:
            value = self.draw_value(rng, self.value)
            asked = self.asked(rng, self.attribute.inverse, {f"={self.attribute.kind}|{self.attribute.name}|{value}"}, heldout, "other value", v=value)
            found.append(asked)
        if not self.old and rng.random() < 0.3:
            found.append(self.asked(rng, OLD_ASKS, {self.told_old}, heldout, "earlier value"))
        return found


DONE = ["{a} {past} {o} on {d}", "{o} was {pp} by {a} on {d}", "on {d} {a} {past} {o}", "{a} has {pp} {o}", "{o} was {pp} on {d}", "we {past} {o} on {d}",
        "{a} {past} {o} because {why}", "{o} was {pp} because {why}", "because {why}, {a} {past} {o} on {d}", "{d}: {o} {pp} ({a})", "{a}: {o} {pp}",
        "{a} reported that {o} was {pp} on {d}", "it was {a} who {past} {o}", "{o} {pp}, {d}", "the reason for {gerund} {o}: {why}",
        "{o} was {pp}, as {why}", "{why}, so {a} {past} {o}", "{why}. That is why {o} was {pp}", "{why}; therefore we {past} {o} on {d}", "since {why}, {o} was {pp}",
        "{a} {past} {o}, mainly because {why}", "we {past} {o} [yesterday|this morning|last week]: {why}", "thanks to {a} {o} has been {pp}", "{o}: {pp} {d} by {a}"]
PLAN = ["{a} will {base} {o} on {d}", "{o} will be {pp} on {d}", "{a} is to {base} {o} by {d}", "{a} will {base} {o}", "action: {a} to {base} {o} by {d}",
        "{a} plans to {base} {o} because {why}", "{o} is to be {pp} next, by {a}", "[ ] {base} {o} ({a}, {d})", "we want to {base} {o} in {d}", "{a} offered to {base} {o}", "{o} must be {pp} before {d}", "{d} at the latest {a} will {base} {o}",
        "next we {base} {o}, because {why}", "{a} takes care of {gerund} {o}", "TODO {a}: {base} {o}"]
NOT_DONE = ["{o} has not been {pp} yet", "nobody has {pp} {o} so far", "{a} did not {base} {o} because {why}", "{o} was not {pp}", "we decided not to {base} {o}: {why}",
            "{a} refused to {base} {o}"]
EVENT_ASKS = {
    "who": ["who {past} {o}", "by whom was {o} {pp}", "which person {past} {o}", "do you know who {past} {o}", "who was it that {past} {o}"],
    "when": ["when was {o} {pp}", "when did we {base} {o}", "on which day was {o} {pp}", "what was the date of {gerund} {o}", "when did they {base} {o}", "how long ago was {o} {pp}"],
    "why": ["why was {o} {pp}", "what was the reason for {gerund} {o}", "why did we {base} {o}", "what made us {base} {o}", "how come {o} was {pp}"],
    "did": ["was {o} {pp}", "did we {base} {o}", "has {o} been {pp}", "did anybody {base} {o}", "is it true that {o} was {pp}"],
    "what": ["what did {a} {base}", "what has {a} {pp}", "what was {pp} by {a}"],
    "plan who": ["who will {base} {o}", "who is going to {base} {o}", "who is supposed to {base} {o}", "whose job is it to {base} {o}", "who has to {base} {o}"],
    "plan when": ["when will {o} be {pp}", "by when must {o} be {pp}", "when are we going to {base} {o}", "what is the date for {gerund} {o}"],
    "plan why": ["why will {o} be {pp}", "why are we going to {base} {o}"],
    "not why": ["why was {o} not {pp}", "why did nobody {base} {o}", "what kept us from {gerund} {o}"],
}
NEAR_EVENT = {"who": "who instead of when", "when": "when instead of who", "why": "reason not given", "plan who": "planned, not done", "plan when": "planned, not done",
              "plan why": "reason not given", "not why": "reason not given", "did": "other object", "what": "other person"}


class EventFact:
    """Somebody did something, will do it, or has not done it."""

    def __init__(self, rng, event, agent, state=None):
        self.event, self.agent, self.template = event, agent, rng.choice(event.objects)
        self.object = fill(rng, self.template)
        self.state = state or rng.choices(["done", "plan", "not"], [6, 3, 1])[0]
        self.date, self.why = date(rng), draw(rng, "cause")
        self.subject = self.object
        self.key = f"{self.object}|{event.verbs[0][0]}"

    def fill(self, rng, template, **more):
        base, past, participle, gerund = rng.choice(self.event.verbs)
        given = {"a": self.agent, "o": self.object, "d": self.date, "why": self.why, "base": base, "past": past, "pp": participle, "gerund": gerund, **more}
        return fill(rng, template, **given)

    def says(self, rng, style="sentence", name=None):
        template = rng.choice({"done": DONE, "plan": PLAN, "not": NOT_DONE}[self.state])
        roles = {"who": "{a}" in template and self.state != "not", "when": "{d}" in template and self.state != "not", "why": "{why}" in template}
        prefix = {"done": "", "plan": "plan ", "not": "not "}[self.state]
        told = {f"{self.key}|{prefix}{role}" for role, is_told in roles.items() if is_told}
        maybe = set()
        if self.state == "done":
            told.add(f"{self.key}|did")
            if roles["who"]:
                told.add(f"={self.agent}|{self.event.verbs[0][0]}")
        else:
            (told if self.state == "not" else maybe).add(f"{self.key}|did")
        return [Said(sentence(self.fill(rng, template), rng.choice([".", ".", ".", ""])), told, maybe)]

    def ask(self, rng, role, heldout, near="", **more):
        template = rng.choice(wordings(EVENT_ASKS[role], heldout))
        want = f"={self.agent}|{self.event.verbs[0][0]}" if role == "what" else f"{more.get('o', self.object)}|{self.event.verbs[0][0]}|{role}"
        return Asked(self.fill(rng, template, **more), {want}, set(), near, held_wording(template))

    def questions(self, rng, heldout=False):
        """Returns questions for every role; those that no statement answers are near misses."""
        roles = {"done": ["who", "when", "why", "did", "what"], "plan": ["plan who", "plan when", "plan why", "did"], "not": ["did", "not why"]}[self.state]
        return [self.ask(rng, role, heldout, NEAR_EVENT[role]) for role in rng.sample(roles, 2)]

    def near_misses(self, rng, heldout=False):
        """Returns questions about a sibling of the object, and for the done form of what is only planned or never happened."""
        sibling = fill(rng, self.template)
        found = []
        if sibling != self.object:
            role = rng.choice(["who", "when", "why", "did"])
            found.append(self.ask(rng, role, heldout, "sibling", o=sibling))
        if self.state != "done":
            found.append(self.ask(rng, rng.choice(["who", "when"]), heldout, "planned, not done"))
        return found
