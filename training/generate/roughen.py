"""Makes records less regular: joins statements, adds filler words, and removes times of messages."""

import re

from .bank import PATTERNS
from .facts import Said
from .words import fill

JOINS = [" ", " ", "; ", ", and ", " – ", " Also, "]
OPENERS = set(
    "The It We You On At A An From Until Since There Before In As She He They Everybody Please Our My".split()
)
LEAD_SHARE, TAIL_SHARE, JOIN_SHARE, UNDATED_SHARE = 0.1, 0.08, 0.14, 0.6
LAST_DATE = re.compile(r" · (?:[^·]*\d[^·]*|\w+day)$")
PROSE = ("page", "handbook", "minutes", "chat", "mail", "diary", "issue", "log")


def lowered(text):
    """Returns a text for the middle of a sentence: lowercases the first letter of a common first word."""
    return text[:1].lower() + text[1:] if text.split(" ")[0] in OPENERS else text


def roughen(rng, record):
    """Joins statements, adds filler words, and removes times."""
    if rng.random() < UNDATED_SHARE:
        record.statements = [(LAST_DATE.sub("", context), said) for context, said in record.statements]
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
