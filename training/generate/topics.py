"""Facts of other shapes: how-tos, ways to get things, settings, permissions, faults and rotas."""

from .bank import PATTERNS, TASKS
from .facts import Said, ask, sentence
from .words import LISTS, draw, fill


def some(rng, name, **slots):
    """Returns a random template of a pattern list with its slots filled."""
    return fill(rng, rng.choice(PATTERNS[name]), **slots)


class Task:
    """A how-to: the steps of a task with a program."""

    def __init__(self, rng, tool):
        self.verbs = rng.choice(TASKS["verbs"]).split(", ")
        self.noun, self.tool = draw(rng, "noun"), tool
        self.subject = f"{self.verbs[0]} {self.noun}"
        self.key = f"{self.subject}|how"
        self.object = some(rng, "article", noun=self.noun)

    def slots(self, rng):
        verb, noun = rng.choice(self.verbs), self.noun.replace(" ", "-")
        short, tool = verb.split()[0], self.tool.lower().split()[0]
        button = rng.choice([verb.capitalize(), f"{verb.capitalize()} {self.noun}", "Apply", "Confirm"])
        command = some(rng, "command", tool=tool, noun=noun, verb=short)
        call = some(rng, "call", noun=noun, verb=short)
        return {"v": verb, "o": self.object, "x": command, "api": call, "button": button}

    def says(self, rng, style="sentence", name=None):
        slots = self.slots(rng)
        way = rng.choice(TASKS["way"])
        told = Said(fill(rng, way, **slots), {self.key})
        if way.startswith(("`", "$", "On the command line")):
            before = some(rng, "command before", tool=self.tool.lower().split()[0])
            told.text = f"{before}\n{told.text}" if told.text[0] == "$" and rng.random() < 0.5 else told.text
            return [Said(some(rng, "command lead", **slots), set(), {self.key}), told]
        return [Said(sentence(told.text), told.told)]

    def asked(self, rng, verb, noun, heldout, near=""):
        action = self.verbs[0] if verb in self.verbs else verb
        thing = some(rng, "article", noun=noun)
        return ask(rng, TASKS["ask"], f"{action} {noun}|how", heldout, near, v=verb, o=thing)

    def questions(self, rng, heldout=False):
        return [self.asked(rng, rng.choice(self.verbs), self.noun, heldout)]

    def near_misses(self, rng, heldout=False):
        actions = [line.split(", ")[0] for line in TASKS["verbs"]]
        other, noun = rng.choice([each for each in actions if each not in self.verbs]), draw(rng, "noun")
        found = [self.asked(rng, other, self.noun, heldout, "other action on the same thing")]
        if noun != self.noun:
            found.append(self.asked(rng, rng.choice(self.verbs), noun, heldout, "same action on another thing"))
        return found


class Process:
    """The way to get something that an organization gives out."""

    def __init__(self, rng):
        self.thing = fill(rng, rng.choice(TASKS["things"]))
        self.subject, self.key = self.thing, f"{self.thing}|get"

    def says(self, rng, style="sentence", name=None):
        slots = {"verb": rng.choice(TASKS["get"]), "o": self.thing, "O": self.thing.capitalize()}
        return [Said(some(rng, "process says", way=fill(rng, rng.choice(TASKS["process"])), **slots), {self.key})]

    def questions(self, rng, heldout=False):
        verb = rng.choice(TASKS["get"])
        return [ask(rng, PATTERNS["process asks"], self.key, heldout, verb=verb, o=self.thing)]

    def near_misses(self, rng, heldout=False):
        verb = rng.choice(TASKS["get"])
        return [
            ask(
                rng,
                PATTERNS["process near misses"],
                f"{self.thing}|other",
                heldout,
                "other attribute",
                verb=verb,
                o=self.thing,
            )
        ]


class Setting:
    """An entry of a configuration reference."""

    def __init__(self, rng):
        word = rng.choice(TASKS["setting"])
        self.name, self.means = rng.choice(TASKS["means"]).replace("{setting}", word).split(": ")
        self.value = some(rng, "setting value")
        self.subject, self.key = self.name, f"{self.name}|setting"

    def says(self, rng, style="sentence", name=None):
        return [Said(some(rng, "setting says", key=self.name, means=self.means, v=self.value), {self.key})]

    def questions(self, rng, heldout=False, near=""):
        return [ask(rng, PATTERNS["setting asks"], self.key, heldout, near, key=self.name, means=self.means)]

    def near_misses(self, rng, heldout=False):
        return Setting(rng).questions(rng, heldout, "sibling")


class Permission:
    """A permission: something is allowed or forbidden in a place."""

    def __init__(self, rng):
        self.thing, self.allowed = rng.choice(TASKS["allow"]), rng.random() < 0.5
        self.where = some(rng, "where")
        self.subject, self.key = self.thing, f"{self.thing}|{self.where}|allowed"

    def says(self, rng, style="sentence", name=None):
        text = some(rng, "allowed" if self.allowed else "forbidden", x=self.thing, where=self.where)
        return [Said(sentence(text), {self.key})]

    def asked(self, rng, thing, where, heldout, near=""):
        return ask(rng, PATTERNS["allow asks"], f"{thing}|{where}|allowed", heldout, near, x=thing, where=where)

    def questions(self, rng, heldout=False):
        return [self.asked(rng, self.thing, self.where, heldout)]

    def near_misses(self, rng, heldout=False):
        other = rng.choice(TASKS["allow"])
        return [
            self.asked(rng, self.thing, some(rng, "where"), heldout, "other place"),
            self.asked(rng, other, self.where, heldout, "other thing in the same place"),
        ]


class Fault:
    """A fault: a symptom with some of cause, workaround, version, reporter and assignee."""

    def __init__(self, rng, people):
        self.symptom = fill(rng, rng.choice(TASKS["symptom"]))
        self.subject, setting = self.symptom, rng.choice(TASKS["setting"]) + "_limit"
        self.known = {role: fill(rng, rng.choice(TASKS[role]), key2=setting) for role in ("cause", "remedy")}
        self.known |= {"version": draw(rng, "version"), "who": rng.choice(people), "fixer": rng.choice(people)}
        self.told = rng.sample(list(self.known), rng.randint(1, 4))

    def says(self, rng, style="sentence", name=None):
        said = [Said(sentence(self.symptom))]
        for role in self.told:
            text = sentence(some(rng, f"fault says, {role}", v=self.known[role]))
            said.append(Said(text, {f"{self.symptom}|{role}"}))
        return said

    def questions(self, rng, heldout=False):
        roles = rng.sample(list(self.known), 2)
        return [
            ask(
                rng,
                PATTERNS[f"fault asks, {role}"],
                f"{self.symptom}|{role}",
                heldout,
                "other attribute",
                x=self.symptom,
            )
            for role in roles
        ]

    def near_misses(self, rng, heldout=False):
        return []


class Rota:
    """A rota: rows that assign a person or thing to each day."""

    def __init__(self, rng, people):
        self.name = some(rng, "rota name")
        has_times, has_people = "bus" in self.name or "timetable" in self.name, False
        days = sorted(rng.sample(range(7), rng.randint(3, 6)))
        names = (
            [LISTS["weekday"][day] for day in days] if rng.random() < 0.7 else [fill(rng, "{n2} {month}") for _ in days]
        )
        if self.name == "the menu":
            entries = [draw(rng, "food") for _ in names]
        elif has_times:
            entries = [draw(rng, "clock") for _ in names]
        else:
            entries, has_people = [rng.choice(people) for _ in names], True
        self.rows, self.subject = dict(zip(names, entries)), self.name
        self.asks = PATTERNS["rota asks"] + (PATTERNS["rota asks, who"] if has_people else [])

    def says(self, rng, style="sentence", name=None):
        form = rng.choice(PATTERNS["rota says"])
        return [
            Said(fill(rng, form, day=day, v=value), {f"{self.name}|{day}", f"={self.name}|{value}"})
            for day, value in self.rows.items()
        ]

    def questions(self, rng, heldout=False):
        day, value = rng.choice(list(self.rows.items()))
        return [
            ask(rng, self.asks, f"{self.name}|{day}", heldout, s=self.name, day=day),
            ask(rng, PATTERNS["rota asks, which day"], f"={self.name}|{value}", heldout, s=self.name, v=value),
        ]

    def near_misses(self, rng, heldout=False):
        day = rng.choice([each for each in LISTS["weekday"] if each not in self.rows])
        return [ask(rng, self.asks, f"{self.name}|{day}", heldout, "other day or group", s=self.name, day=day)]
