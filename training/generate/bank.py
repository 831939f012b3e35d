"""Reads the banks: templates of statements and questions about kinds of things, events and personal facts.

A bank is a text file. `@ room: Room {n3} | …` opens a kind of thing with its names. `- nouns = value @qualifier`
opens an attribute: the nouns that name it, its possible values, and its qualifier. The lines below it have templates:
`.` statements, `?` questions for the value, `<` questions for the thing, `>` statements of a change from {w} to {v},
`!` questions by others (personal facts), `~` attributes whose statements may answer the same question,
`+` more values, or more names.
"""

from dataclasses import dataclass, field
from zlib import crc32

from .words import BANKS, LISTS, VALUES

HELD_ATTRIBUTES = 12
"""One in this many attributes is held out of the training data."""
HELD_WORDINGS = 8
"""One in this many wordings of a question is held out."""


def is_held(text, one_of):
    """Returns whether a text is held out. The decision depends only on its checksum."""
    return crc32(text.encode()) % one_of == 0


@dataclass
class Attribute:
    kind: str
    nouns: list[str]
    values: list[str]
    qualifier: str = ""
    says: list[str] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)
    inverse: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    others_ask: list[str] = field(default_factory=list)
    alike: list[str] = field(default_factory=list)

    @property
    def name(self):
        return self.nouns[0]

    @property
    def held(self):
        return is_held(f"{self.kind}.{self.name}", HELD_ATTRIBUTES)


@dataclass
class Kind:
    name: str
    names: list[str]
    attributes: list[Attribute] = field(default_factory=list)


@dataclass
class Event:
    verbs: list[list[str]]
    objects: list[str]


def value_templates(text):
    """Returns the templates of a value: `{a|b}` has two, `clock` stands for `{clock}`."""
    text = text.strip()
    if text.startswith("{") and closing(text) == len(text) - 1:
        text = text[1:-1]
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text + "|"):
        depth += (char == "{") - (char == "}")
        if char == "|" and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return ["{" + part + "}" if part in VALUES or part in LISTS else part for part in parts]


def closing(text):
    """Returns the position of the brace that closes the first brace."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if depth == 0:
            return at
    return -1


FIELDS = {".": "says", "?": "asks", "<": "inverse", ">": "changes", "!": "others_ask"}


def lines_of(name):
    lines = (BANKS / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def read_attribute(kind, text):
    nouns, value = text.split(" = ", 1) if " = " in text else (text, text)
    value, _, qualifier = value.partition(" @")
    return Attribute(kind, [noun.strip() for noun in nouns.split(",")], value_templates(value), qualifier.strip())


def read_things(*names):
    """Returns the kinds of things that the banks define."""
    kinds = []
    for line in (line for name in names for line in lines_of(name)):
        sign, text = line[0], line[2:]
        if sign == "@":
            kind, names_of = text.split(": ", 1)
            kinds.append(Kind(kind, names_of.split(" | ")))
        elif sign == "-":
            kinds[-1].attributes.append(read_attribute(kinds[-1].name, text))
        elif sign == "~":
            kinds[-1].attributes[-1].alike = text.split(", ")
        elif sign == "+" and not kinds[-1].attributes:
            kinds[-1].names += text.split(" | ")
        elif sign == "+":
            kinds[-1].attributes[-1].values += value_templates("{" + text + "}")
        else:
            getattr(kinds[-1].attributes[-1], FIELDS[sign]).extend(text.split(" | "))
    return kinds


def read_policies():
    """Returns topics with their facts. A fact has no noun; its name is its first question."""
    topics = []
    for line in lines_of("policies-work.txt") + lines_of("policies-places.txt"):
        if line[0] == "@":
            topics.append(Kind("policy", line[2:].split(": ", 1)[1].split(" | ")))
        elif line[0] == "-":
            values = [each for part in line[2:].split(" | ") for each in value_templates(part)]
            topics[-1].attributes.append(Attribute("policy", [""], values))
        else:
            getattr(topics[-1].attributes[-1], FIELDS[line[0]]).extend(line[2:].split(" | "))
    for topic in topics:
        for attribute in topic.attributes:
            attribute.nouns = [attribute.asks[0]]
    return topics


def read_personal():
    """Returns the facts that people state about themselves."""
    attributes = []
    for line in lines_of("personal.txt"):
        if line[0] == "-":
            attributes.append(Attribute("personal", [f"fact {len(attributes)}"], value_templates(line[2:])))
        else:
            getattr(attributes[-1], FIELDS[line[0]]).extend(line[2:].split(" | "))
    return attributes


def read_events():
    """Returns events: synonymous verbs in four forms each, and the objects that they take."""
    events = []
    for line in lines_of("events.txt"):
        if line.startswith("= "):
            events[-1].objects += line[2:].split(" | ")
        else:
            verbs = line.split("; ")
            events.append(Event([verb.split("|") if "|" in verb else verb.split() for verb in verbs], []))
    return events


def read_lines(name):
    """Returns the lists of a bank with `key: item | item` lines. A key may occur more than once."""
    found = {}
    for line in lines_of(name):
        key, items = line.split(": ", 1)
        found.setdefault(key, []).extend(items.split(" | "))
    return found


def read_patterns():
    """Returns lists of templates by name: a line with the name, then an indented line for each template."""
    found, name = {}, ""
    for line in lines_of("patterns-says.txt") + lines_of("patterns-asks.txt"):
        if line.startswith("  "):
            found[name].append(line[2:])
        else:
            name = line[:-1]
            found[name] = []
    return found


PATTERNS = read_patterns()
THINGS = read_things("things-places.txt", "things-people.txt", "things-work.txt", "things-goods.txt")
POLICIES = read_policies()
PERSONAL = read_personal()
EVENTS = read_events()
CHATTER = read_lines("chatter.txt")
TASKS = read_lines("tasks.txt")
