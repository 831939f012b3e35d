"""Generates questions about records, varies them as people type them, and labels the statements."""

from .bank import PATTERNS, THINGS
from .whole_records import WHOLE, noun_facts
from .words import fill

QUESTIONS_PER_SET = 14
NEAR_SHARE = 0.5
"""Unanswerable questions per answerable question."""


def typo(rng, text):
    """Swaps, drops or doubles a letter inside a longer word that is not a name."""
    words = text.split(" ")
    usable = [at for at, word in enumerate(words) if len(word) > 4 and word.islower() and word.isalpha()]
    if not usable:
        return text
    at = rng.choice(usable)
    word, place = words[at], rng.randint(1, len(words[at]) - 3)
    words[at] = rng.choice(
        [
            word[:place] + word[place + 1] + word[place] + word[place + 2 :],
            word[:place] + word[place + 1 :],
            word[:place] + word[place] + word[place:],
        ]
    )
    return " ".join(words)


def dressed(rng, text):
    """Returns a question as people type it: sometimes without capitals, with an opening or a typo."""
    if rng.random() < 0.04:
        text = typo(rng, text)
    form = rng.random()
    if form < 0.1:
        return text.lower()
    if form < 0.15:
        return text
    if form < 0.21:
        text = fill(rng, rng.choice(PATTERNS["opening"]), q=text)
    return text[:1].upper() + text[1:] + rng.choice(["?", "?", "?", "?", "", " ?"] if form < 0.4 else ["?"])


def may(keys, patterns):
    """Returns whether a key matches a pattern. A trailing `*` matches any suffix except those of previous values."""
    for key in keys:
        for pattern in patterns:
            if key == pattern or (
                pattern.endswith("*") and key.startswith(pattern[:-1]) and not key.endswith(("|old", "|change"))
            ):
                return True
    return False


def label(asked, said):
    """Returns 1 if a statement answers, -1 if it may, else 0."""
    if asked.want & said.told:
        return 1
    return -1 if asked.want & said.maybe or may(said.told, asked.maybe) else 0


def sibling_misses(rng, records, heldout):
    """Yields questions about attributes that the records do not state, of things that they name."""
    facts = noun_facts(records)
    by_subject = {}
    for fact in facts:
        by_subject.setdefault(fact.subject, []).append(fact)
    for fact in rng.sample(facts, min(len(facts), 6)):
        others = [
            each
            for each in by_subject
            if each != fact.subject and by_subject[each][0].attribute.kind == fact.attribute.kind
        ]
        if others and rng.random() < 0.6:
            other = rng.choice(others)
            known = next((each for each in by_subject[other] if each.attribute is fact.attribute), None)
            if known is None:
                shifted = type(fact)(rng, fact.attribute, other, by_subject[other][0].alias)
                yield shifted.asked(rng, fact.attribute.asks, {f"{other}|{fact.attribute.name}|"}, heldout, "sibling")
        else:
            yield from unstated(rng, fact, by_subject[fact.subject], heldout)


def unstated(rng, fact, known, heldout):
    """Yields a question about an attribute of a thing that no record states."""
    kind = next(each for each in THINGS if each.name == fact.attribute.kind)
    names = {each.attribute.name for each in known}
    free = [each for each in kind.attributes if each.name not in names and (heldout or not each.held)]
    if free:
        other = type(fact)(rng, rng.choice(free), fact.subject, fact.alias)
        want = {f"{fact.subject}|{other.attribute.name}|"}
        yield other.asked(rng, other.attribute.asks, want, heldout, "other attribute")


def by_turns(rng, asked):
    """Returns near misses in round-robin order of their kinds, so that rare kinds also occur."""
    kinds = {}
    for each in rng.sample(asked, len(asked)):
        kinds.setdefault(each.near or "withheld", []).append(each)
    groups = rng.sample(list(kinds.values()), len(kinds))
    return [group[turn] for turn in range(max(map(len, groups), default=0)) for group in groups if turn < len(group)]


def questions_of(rng, records, statements, heldout):
    """Returns questions with labels. Excludes questions that some statement may answer but none surely does."""
    facts = [fact for record in records for fact in record.facts]
    asked = [
        each
        for fact in rng.sample(facts, min(len(facts), 2 * QUESTIONS_PER_SET))
        for each in fact.questions(rng, heldout)
    ]
    asked += [
        each
        for fact in rng.sample(facts, min(len(facts), QUESTIONS_PER_SET))
        for each in fact.near_misses(rng, heldout)
    ]
    asked += list(sibling_misses(rng, records, heldout))
    found = []
    for write, share in WHOLE.items():
        made = write(rng, records, statements) if rng.random() < share else None
        if made and 0 in made[1]:
            found.append({"question": dressed(rng, made[0]), "labels": made[1], "near": made[2], "held": ""})
    labels = {id(each): [label(each, said) for _, said in statements] for each in asked}
    answered = [each for each in asked if 1 in labels[id(each)]]
    unanswered = [each for each in asked if not any(labels[id(each)])]
    chosen = (
        rng.sample(answered, min(len(answered), QUESTIONS_PER_SET))
        + by_turns(rng, unanswered)[: round(QUESTIONS_PER_SET * NEAR_SHARE)]
    )
    for each in chosen:
        near = "" if 1 in labels[id(each)] else each.near or "withheld"
        found.append({"question": dressed(rng, each.text), "labels": labels[id(each)], "near": near, "held": each.held})
    return found
