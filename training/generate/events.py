"""Facts about events: who did something, when and why, including planned events and ones that did not happen."""

import re

from .bank import PATTERNS
from .facts import Asked, Said, pick_wording, sentence
from .words import date, draw, fill

NEAR_EVENT = {
    "who": "who instead of when",
    "when": "when instead of who",
    "why": "reason not given",
    "plan who": "planned, not done",
    "plan when": "planned, not done",
    "plan why": "reason not given",
    "not why": "reason not given",
    "did": "other object",
    "what": "other person",
}


PREPOSITION = re.compile(r" (?:of|in|from|to|on|for|at|about|with|behind|through|as)\b")
AGREEMENT = {"was": "were", "is": "are", "has": "have", "Was": "Were", "Is": "Are", "Has": "Have"}


def agree(text, thing):
    """Makes the verb agree with a plural subject."""
    head = PREPOSITION.split(thing)[0]
    if not re.match(r"(?:two|\d+) |.*[^su]s$", head):
        return text
    text = re.sub(rf"({re.escape(thing)}) (was|is|has)\b", lambda found: f"{found[1]} {AGREEMENT[found[2]]}", text)
    return re.sub(rf"\b(was|is|has) ({re.escape(thing)})", lambda found: f"{AGREEMENT[found[1]]} {found[2]}", text)


class EventFact:
    """An event: a person did something, will do it, or has not done it."""

    def __init__(self, rng, event, agent, state=None):
        self.event, self.agent, self.template = event, agent, rng.choice(event.objects)
        self.object = fill(rng, self.template)
        self.state = state or rng.choices(["done", "plan", "not"], [6, 3, 1])[0]
        self.date, self.why = date(rng), draw(rng, "cause")
        self.subject = self.object
        self.key = f"{self.object}|{event.verbs[0][0]}"

    def fill(self, rng, template, **more):
        base, past, participle, gerund = rng.choice(self.event.verbs)
        given = {
            "a": self.agent,
            "o": self.object,
            "d": self.date,
            "why": self.why,
            "base": base,
            "past": past,
            "pp": participle,
            "gerund": gerund,
            **more,
        }
        return agree(fill(rng, template, **given), given["o"])

    def says(self, rng, style="sentence", name=None):
        template = rng.choice(
            {"done": PATTERNS["done"], "plan": PATTERNS["plan"], "not": PATTERNS["not done"]}[self.state]
        )
        roles = {
            "who": "{a}" in template and self.state != "not",
            "when": "{d}" in template and self.state != "not",
            "why": "{why}" in template,
        }
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
        template, held = pick_wording(rng, PATTERNS["event asks, " + role], heldout)
        verb, thing = self.event.verbs[0][0], more.get("o", self.object)
        want = f"={self.agent}|{verb}" if role == "what" else f"{thing}|{verb}|{role}"
        return Asked(self.fill(rng, template, **more), {want}, set(), near, held)

    def questions(self, rng, heldout=False):
        """Returns questions for every role. Questions that no statement answers are near misses."""
        roles = {
            "done": ["who", "when", "why", "did", "what"],
            "plan": ["plan who", "plan when", "plan why", "did"],
            "not": ["did", "not why"],
        }[self.state]
        return [self.ask(rng, role, heldout, NEAR_EVENT[role]) for role in rng.sample(roles, 2)]

    def near_misses(self, rng, heldout=False):
        """Returns questions about a sibling of the object, and questions that treat a planned event as done."""
        sibling = fill(rng, self.template)
        found = []
        if sibling != self.object:
            role = rng.choice(["who", "when", "why", "did"])
            found.append(self.ask(rng, role, heldout, "sibling", o=sibling))
        if self.state != "done":
            found.append(self.ask(rng, rng.choice(["who", "when"]), heldout, "planned, not done"))
        return found


class OwnEvent(EventFact):
    """An action of a diary's author. Questions about it use "I"."""

    def __init__(self, rng, event):
        super().__init__(rng, event, "I", "done")

    def says(self, rng, style="sentence", name=None):
        template = rng.choice(PATTERNS["own event says"])
        told = {f"{self.key}|did"} | {f"{self.key}|{role}" for role in ("when", "why") if f"{{{role}}}" in template}
        return [Said(sentence(self.fill(rng, template, when=self.date)), told)]

    def questions(self, rng, heldout=False):
        role = rng.choice(["when", "why", "did"])
        template, held = pick_wording(rng, PATTERNS[f"own event asks, {role}"], heldout)
        near = {"when": "date not given", "why": "reason not given", "did": ""}[role]
        return [Asked(self.fill(rng, template), {f"{self.key}|{role}"}, set(), near, held)]

    def near_misses(self, rng, heldout=False):
        sibling = fill(rng, self.template)
        template, held = pick_wording(rng, PATTERNS["own event asks, when"], heldout)
        want = {f"{sibling}|{self.event.verbs[0][0]}|when"}
        return (
            [Asked(self.fill(rng, template, o=sibling), want, set(), "sibling", held)] if sibling != self.object else []
        )
