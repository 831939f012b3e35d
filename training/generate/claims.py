"""Makes claims with evidence from facts: the same in other words, with another value, or about what is not stated."""

from .bare_facts import BareFact
from .facts import AttributeFact, sentence

CLAIMS_PER_SET = 8


def claim_of(rng, fact, facts):
    """Returns a claim, its evidence and its label."""
    said = fact.says(rng)[-1]
    kind = rng.choice(["same", "value", "value", "sibling", "attribute"])
    style = rng.choice(["sentence", "noun"])
    if kind == "same":
        return fact.plain(rng, style), said, "supported"
    if kind == "value":
        other = fact.old if fact.old and rng.random() < 0.5 else fact.draw_value(rng, fact.value)
        if other == fact.value:
            return None
        return fact.plain(rng, style, value=other), said, "contradicted"
    if kind == "sibling":
        others = [each for each in facts if each.subject != fact.subject and each.attribute is fact.attribute]
        return (rng.choice(others).plain(rng, style), said, "neither") if others else None
    others = [
        each
        for each in facts
        if each.subject == fact.subject
        and each.attribute.name != fact.attribute.name
        and fact.attribute.name not in each.attribute.alike
    ]
    return (rng.choice(others).plain(rng, style), said, "neither") if others else None


def claims_of(rng, records):
    """Returns rows of claims from the facts of records."""
    facts = [
        fact
        for record in records
        for fact in record.facts
        if isinstance(fact, AttributeFact) and not isinstance(fact, BareFact) and not fact.attribute.held
    ]
    rows = []
    for fact in rng.sample(facts, min(len(facts), CLAIMS_PER_SET)):
        made = claim_of(rng, fact, facts)
        if made:
            claim, said, label = made
            rows.append({"set": "generated", "claim": sentence(claim), "evidence": said.text, "label": label})
    return rows
