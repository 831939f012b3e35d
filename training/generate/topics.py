"""Facts of other shapes: how-tos, ways to get things, settings, permissions, faults and rotas."""

from .bank import TASKS
from .facts import Asked, Said, held_wording, sentence, wordings
from .words import LISTS, draw, fill

ARTICLES = ["a {noun}", "the {noun}", "a {noun}", "your {noun}s", "a {noun} of {person}"]
SETTING_SAYS = ["`{key}`: {means}. Default: {v}.", "{key} | {v} | {means}", "`{key}` ({v}) – {means}", "{key} = {v}  # {means}", "- {key}: {means} (default {v})",
                "Set `{key}` to choose {means}; it is {v} unless you change it."]
SETTING_ASKS = ["what is the default of {key}", "default {key}", "what does {key} do", "which setting is {means}", "{means}", "where do I set {means}", "how can I change {means}",
                "what is {key} set to", "how do I configure {means}"]
ALLOWED = ["{x} are allowed {where}", "{x}: allowed {where}", "you may have {x} {where}", "{x} are welcome {where}", "{x} are permitted {where}"]
FORBIDDEN = ["{x} are not allowed {where}", "no {x} {where}", "{x} are forbidden {where}", "please leave out {x} {where}", "{x} are only allowed outside, not {where}"]
ALLOW_ASKS = ["are {x} allowed {where}", "may I have {x} {where}", "can we have {x} {where}", "is it okay to have {x} {where}", "what is the rule on {x} {where}", "{x} {where}", "am I permitted {x} {where}"]
FAULT_ASKS = {
    "cause": ["why is it that {x}", "what causes this: {x}", "what was the cause when {x}", "what is the reason that {x}", "root cause: {x}"],
    "remedy": ["what can I do when {x}", "how do I get around it: {x}", "is there a workaround if {x}", "{x}, what helps", "how was it solved that {x}"],
    "version": ["in which version was it fixed that {x}", "which release fixes that {x}", "since which version is it fixed that {x}"],
    "who": ["who reported that {x}", "who noticed that {x}", "who found out that {x}"],
    "fixer": ["who is working on it: {x}", "who takes care of the bug that {x}", "who fixes it: {x}"],
}
FAULT_SAYS = {
    "cause": ["the cause is {v}", "it turned out to be {v}", "this happens because of {v}", "root cause: {v}", "we traced it to {v}", "{v} is behind it"],
    "remedy": ["as a workaround, {v}", "until then {v}", "what helped: {v}", "{v}, then it works", "you can {v}", "solution: {v}"],
    "version": ["fixed in {v}", "the fix is part of {v}", "closed, {v} has the fix", "from {v} on it no longer happens"],
    "who": ["{v} reported it", "reported by {v}", "{v} noticed it first"],
    "fixer": ["{v} is on it", "assigned to {v}", "{v} will look at it"],
}


class Task:
    """How to do something with a program."""

    def __init__(self, rng, tool):
        self.verbs = rng.choice(TASKS["verbs"]).split(", ")
        self.noun, self.tool = draw(rng, "noun"), tool
        self.subject = f"{self.verbs[0]} {self.noun}"
        self.key = f"{self.subject}|how"
        self.object = fill(rng, rng.choice(ARTICLES[:2]), noun=self.noun)

    def slots(self, rng):
        verb, noun = rng.choice(self.verbs), self.noun.replace(" ", "-")
        tool = self.tool.lower().split()[0]
        command = rng.choice([f"{tool} {noun} {verb.split()[0]} NAME", f"{tool} {verb.split()[0]}-{noun} --all", f"{tool} {noun}s --{verb.split()[0]}", f"{tool}ctl {verb.split()[0]} {noun}/ID"])
        return {"v": verb, "o": self.object, "x": command, "api": f"{rng.choice(['POST', 'DELETE', 'PATCH', 'GET'])} /{noun}s/ID/{verb.split()[0]}",
                "key": rng.choice(["Ctrl", "Alt", "Shift"]), "button": rng.choice([verb.capitalize(), f"{verb.capitalize()} {self.noun}", "Apply", "Confirm"])}

    def says(self, rng, style="sentence", name=None):
        slots = self.slots(rng)
        way = rng.choice(TASKS["way"])
        if way.startswith(("`{x}`", "$ {x}", "On the command line")):
            lead = fill(rng, rng.choice(["To {v} {o}:", "How to {v} {o} from a terminal:"]), **slots)
            return [Said(sentence(lead), set(), {self.key}), Said(fill(rng, way, **slots), {self.key})]
        return [Said(sentence(fill(rng, way, **slots)), {self.key})]

    def ask(self, rng, verb, noun, heldout, near=""):
        template = rng.choice(wordings(TASKS["ask"], heldout))
        text = fill(rng, template, v=verb, o=fill(rng, rng.choice(ARTICLES), noun=noun))
        return Asked(text, {f"{self.verbs[0]} {noun}|how" if verb in self.verbs else f"{verb} {noun}|how"}, set(), near, held_wording(template))

    def questions(self, rng, heldout=False):
        return [self.ask(rng, rng.choice(self.verbs), self.noun, heldout)]

    def near_misses(self, rng, heldout=False):
        other = rng.choice([line for line in TASKS["verbs"] if line.split(", ")[0] != self.verbs[0]]).split(", ")
        noun = draw(rng, "noun")
        found = [self.ask(rng, other[0], self.noun, heldout, "other action on the same thing")]
        if noun != self.noun:
            found.append(self.ask(rng, rng.choice(self.verbs), noun, heldout, "same action on another thing"))
        return found


class Process:
    """How to get something that an organisation gives out."""

    def __init__(self, rng):
        self.thing = fill(rng, rng.choice(TASKS["things"][0].split(", ")))
        self.subject, self.key = self.thing, f"{self.thing}|get"

    def says(self, rng, style="sentence", name=None):
        way = fill(rng, rng.choice(TASKS["process"]))
        if style == "field":
            return [Said(way, {self.key})]
        verb = rng.choice(TASKS["get"][0].split(", "))
        return [Said(fill(rng, rng.choice(["To {verb} {o}: {way}", "{O}? {way}", "If you want to {verb} {o}: {way}", "For {o}: {way}"]), verb=verb, o=self.thing,
                          O=self.thing.capitalize(), way=way), {self.key})]

    def questions(self, rng, heldout=False):
        template = rng.choice(wordings(["how do I {verb} {o}", "where do I {verb} {o}", "how can I {verb} {o}", "whom do I ask for {o}", "{verb} {o}", "I need {o}", "what is the way to {verb} {o}"], heldout))
        return [Asked(fill(rng, template, verb=rng.choice(TASKS["get"][0].split(", ")), o=self.thing), {self.key}, set(), "", held_wording(template))]

    def near_misses(self, rng, heldout=False):
        template = rng.choice(["what does {o} cost", "how long does it take to {verb} {o}", "how long is {o} valid", "who invented the form for {o}", "how do I give back {o}"])
        return [Asked(fill(rng, template, verb=rng.choice(TASKS["get"][0].split(", ")), o=self.thing), {f"{self.thing}|{template}"}, set(), "other attribute")]


class Setting:
    """An entry of a configuration reference."""

    def __init__(self, rng):
        key, means = rng.choice(TASKS["means"]).split(": ")
        word = rng.choice(TASKS["setting"][0].split(", "))
        self.name, self.means = key.replace("{setting}", word), means.replace("{setting}", word)
        self.value = fill(rng, rng.choice(["{n2}", "{seconds}", "{megabytes}", "{path}", "{n3}", "off", "{duration}", "{port}", "unset"]))
        self.subject, self.key = self.name, f"{self.name}|setting"

    def says(self, rng, style="sentence", name=None):
        return [Said(fill(rng, rng.choice(SETTING_SAYS), key=self.name, means=self.means, v=self.value), {self.key})]

    def questions(self, rng, heldout=False):
        template = rng.choice(wordings(SETTING_ASKS, heldout))
        return [Asked(fill(rng, template, key=self.name, means=self.means), {self.key}, set(), "", held_wording(template))]

    def near_misses(self, rng, heldout=False):
        other = Setting(rng)
        asked = other.questions(rng, heldout)[0]
        asked.near = "sibling"
        return [asked]


class Permission:
    """Something is allowed or forbidden in a place."""

    def __init__(self, rng):
        self.thing, self.allowed = rng.choice(TASKS["allow"][0].split(", ")), rng.random() < 0.5
        self.where = self.draw_where(rng)
        self.subject, self.key = self.thing, f"{self.thing}|{self.where}|allowed"

    def draw_where(self, rng):
        return fill(rng, rng.choice(["in {place}", "in Room {n3}", "in the garden", "on the lawn", "on the terrace", "at the {stem} centre", "on weekdays", "after {clock}"])).replace("in the roof", "on the roof")

    def says(self, rng, style="sentence", name=None):
        template = rng.choice(ALLOWED if self.allowed else FORBIDDEN)
        return [Said(sentence(fill(rng, template, x=self.thing, where=self.where)), {self.key})]

    def ask(self, rng, thing, where, heldout, near=""):
        template = rng.choice(wordings(ALLOW_ASKS, heldout))
        return Asked(fill(rng, template, x=thing, where=where), {f"{thing}|{where}|allowed"}, set(), near, held_wording(template))

    def questions(self, rng, heldout=False):
        return [self.ask(rng, self.thing, self.where, heldout)]

    def near_misses(self, rng, heldout=False):
        return [self.ask(rng, self.thing, self.draw_where(rng), heldout, "other place"),
                self.ask(rng, rng.choice(TASKS["allow"][0].split(", ")), self.where, heldout, "other thing in the same place")]


class Fault:
    """A symptom with some of cause, workaround, version, reporter and assignee."""

    def __init__(self, rng, people):
        self.symptom = fill(rng, rng.choice(TASKS["symptom"]))
        self.subject = self.symptom
        key = f"{rng.choice(TASKS['setting'][0].split(', '))}_limit"
        self.known = {"cause": fill(rng, rng.choice(TASKS["reason"]), key2=key), "remedy": fill(rng, rng.choice(TASKS["remedy"]), key2=key), "version": fill(rng, "{version}"),
                      "who": rng.choice(people), "fixer": rng.choice(people)}
        self.told = rng.sample(list(self.known), rng.randint(1, 4))

    def says(self, rng, style="sentence", name=None):
        said = [Said(sentence(self.symptom), set(), set())]
        for role in self.told:
            text = sentence(fill(rng, rng.choice(FAULT_SAYS[role]), v=self.known[role]))
            said.append(Said(text, {f"{self.symptom}|{role}"}))
        return said

    def questions(self, rng, heldout=False):
        found = []
        for role in rng.sample(list(self.known), 2):
            template = rng.choice(wordings(FAULT_ASKS[role], heldout))
            found.append(Asked(fill(rng, template, x=self.symptom), {f"{self.symptom}|{role}"}, set(), "other attribute", held_wording(template)))
        return found

    def near_misses(self, rng, heldout=False):
        return []


class Rota:
    """Who or what comes on which day, as rows."""

    def __init__(self, rng, people):
        self.name = fill(rng, rng.choice(["the reception rota", "the kitchen rota", "the cleaning rota", "on-call duty", "the {hobby} timetable", "the menu", "the bus to {town}", "the {stem} shift plan", "the market stalls", "the {department} rota"]))
        days = rng.sample(LISTS["weekday"], rng.randint(3, 6)) if rng.random() < 0.7 else [fill(rng, "{n2} {month}") for _ in range(4)]
        draw_entry = {"the menu": lambda: draw(rng, "food")}.get(self.name, lambda: draw(rng, "clock") if "bus" in self.name or "timetable" in self.name else rng.choice(people))
        self.rows = {day: draw_entry() for day in sorted(days, key=lambda day: LISTS["weekday"].index(day) if day in LISTS["weekday"] else 0)}
        self.subject = self.name
        self.asks = ["what is on {s} on {day}", "{s} {day}", "what does {s} say for {day}"] + (["when does {s} leave on {day}"] if "bus" in self.name else ["who is on {s} on {day}", "whose turn is it on {day} for {s}"] if rng.choice(list(self.rows.values())) in people else [])

    def says(self, rng, style="sentence", name=None):
        form = rng.choice(["{day}: {v}", "{day} | {v}", "{day} – {v}", "day: {day}; entry: {v}", "on {day} it is {v}"])
        return [Said(form.format(day=day, v=value), {f"{self.name}|{day}", f"={self.name}|{value}"}) for day, value in self.rows.items()]

    def questions(self, rng, heldout=False):
        day, value = rng.choice(list(self.rows.items()))
        template = rng.choice(wordings(self.asks, heldout))
        found = [Asked(fill(rng, template, s=self.name, day=day), {f"{self.name}|{day}"}, set(), "", held_wording(template))]
        inverse = rng.choice(wordings(["on which day is {v} on {s}", "when is it {v} on {s}", "{v} {s} which day"], heldout))
        found.append(Asked(fill(rng, inverse, s=self.name, v=value), {f"={self.name}|{value}"}, set(), "", held_wording(inverse)))
        return found

    def near_misses(self, rng, heldout=False):
        day = rng.choice([each for each in LISTS["weekday"] if each not in self.rows] or ["1 April"])
        template = rng.choice(wordings(self.asks, heldout))
        return [Asked(fill(rng, template, s=self.name, day=day), {f"{self.name}|{day}"}, set(), "other day or group", held_wording(template))]
