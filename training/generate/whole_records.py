"""Questions with many answers: everything about a thing, all statements of a speaker, all events of a day.

Each function returns a question, the labels of the statements and the kind of near miss, or None.
"""

import re

from .bank import PATTERNS
from .bare_facts import BareFact

DAY = re.compile(r"^(\d{1,2}) (\w+) (\d{4})$")
WRITTEN_DAYS = ["{day} {month}", "{month} {day}", "{day} {month} {year}", "{month} {day}, {year}", "{day} {short}"]


def noun_facts(records):
    """Returns the facts of records whose attributes have nouns."""
    facts = [fact for record in records for fact in record.facts if hasattr(fact, "stem")]
    return [fact for fact in facts if not isinstance(fact, BareFact)]


def is_about(said, subject):
    return any(key.startswith(subject + "|") for key in said.told)


def parts(context):
    """Returns the speaker and the day of a context, if it has them."""
    after = context.split(" · ")[1:]
    days = [part.split(",")[0] for part in after if DAY.match(part.split(",")[0])]
    speakers = [part for part in after if part[:1].isalpha() and not any(char.isdigit() for char in part)]
    return (speakers or [""])[0], (days or [""])[0]


def about(rng, records, statements):
    """Asks for everything about a thing."""
    facts = noun_facts(records)
    if not facts:
        return None
    subject = rng.choice(facts).subject
    labels = [int(is_about(said, subject)) for _, said in statements]
    return rng.choice(PATTERNS["ask about"]).replace("{s}", subject), labels, "" if any(labels) else "thing not there"


def said_by(rng, records, statements):
    """Asks for the statements of a speaker, on one thing or in general."""
    spoken = [(parts(context)[0], said) for context, said in statements]
    speakers = sorted({speaker for speaker, said in spoken if speaker and said.told})
    subjects = sorted({key.split("|")[0] for _, said in spoken for key in said.told if key[0] != "="} - set(speakers))
    if len(speakers) < 2 or not subjects:
        return None
    speaker, subject = rng.choice(speakers), rng.choice(subjects)
    if rng.random() < 0.4:
        labels = [int(each == speaker and bool(said.told)) for each, said in spoken]
        return rng.choice(PATTERNS["ask what a speaker wrote"]).replace("{p}", speaker), labels, ""
    text = rng.choice(PATTERNS["ask what a speaker said"]).replace("{p}", speaker).replace("{s}", subject)
    labels = [int(each == speaker and is_about(said, subject)) for each, said in spoken]
    return text, labels, "" if any(labels) else "other speaker"


def on_a_day(rng, records, statements):
    """Asks for the events of a day that occurs in contexts, or of another day of the same month."""
    days = [parts(context)[1] for context, _ in statements]
    known = sorted(set(days) - {""})
    if len(known) < 2:
        return None
    day, month, year = DAY.match(rng.choice(known)).groups()
    wanted = str((int(day) + rng.randint(1, 9)) % 28 + 1) if rng.random() < 0.35 else day
    labels = [int(each == f"{wanted} {month} {year}" and bool(said.told)) for each, (_, said) in zip(days, statements)]
    written = rng.choice(WRITTEN_DAYS).format(day=wanted, month=month, year=year, short=month[:3])
    return rng.choice(PATTERNS["ask what happened"]).replace("{d}", written), labels, "" if any(labels) else "other day"


WHOLE = {about: 0.5, said_by: 0.5, on_a_day: 0.4}
"""Generators of these questions, each with the share of record sets that get one."""
