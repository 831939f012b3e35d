"""Generates claims with evidence from facts: a paraphrase, another value, or something that is not stated."""

import copy

from .bank import PATTERNS
from .bare_facts import BareFact
from .events import EventFact, OwnEvent
from .facts import AttributeFact, sentence
from .words import date, draw

CLAIMS_PER_SET = 8
COVERED_SHARE = 0.7
"""Share of claims that use only details of the evidence."""
ROLES = {"{a}": "who", "{d}": "when", "{why}": "why"}


def attribute_claim(rng, fact, facts):
    """Returns a claim about an attribute, its evidence and its label; or None."""
    said = fact.says(rng)[-1]
    kind, style = rng.choice(["same", "value", "value", "sibling", "attribute"]), rng.choice(["sentence", "noun"])
    if kind == "same":
        return fact.plain(rng, style), said.text, "supported"
    if kind == "value":
        other = fact.old if fact.old and rng.random() < 0.5 else fact.draw_value(rng, fact.value)
        return (fact.plain(rng, style, value=other), said.text, "contradicted") if other != fact.value else None
    others = [each for each in facts if isinstance(each, AttributeFact) and not isinstance(each, BareFact)]
    if kind == "sibling":
        others = [each for each in others if each.subject != fact.subject and each.attribute is fact.attribute]
    else:
        alike = {fact.attribute.name, *fact.attribute.alike}
        others = [each for each in others if each.subject == fact.subject and each.attribute.name not in alike]
    return (rng.choice(others).plain(rng, style), said.text, "neither") if others else None


def roles_of(template):
    return {role for slot, role in ROLES.items() if slot in template}


def event_claim(rng, fact, givens):
    """Returns a claim that something was done, its evidence and its label; or None."""
    said = fact.says(rng)[0]
    if fact.state != "done":
        claim = fact.fill(rng, rng.choice(PATTERNS["done"]))
        return claim, said.text, "contradicted" if fact.state == "not" else "neither"
    stated = {key.rsplit("|", 1)[1] for key in said.told if key[0] != "="}
    covered = [each for each in PATTERNS["done"] if roles_of(each) <= stated]
    claimed = rng.choice(covered if covered and rng.random() < COVERED_SHARE else PATTERNS["done"])
    roles = roles_of(claimed)
    if not roles <= stated:
        return fact.fill(rng, claimed), said.text, "neither"
    if not roles or rng.random() < 0.5:
        return fact.fill(rng, claimed), said.text, "supported"
    changed, role = copy.copy(fact), rng.choice(sorted(roles))
    if role == "who":
        changed.agent = rng.choice([each for each in givens if each not in fact.agent])
    elif role == "when":
        changed.date = date(rng)
    else:
        changed.why = draw(rng, "cause")
    text = changed.fill(rng, claimed)
    is_changed = (changed.agent, changed.date, changed.why) != (fact.agent, fact.date, fact.why)
    # A different reason does not contradict the stated one.
    return (text, said.text, "neither" if role == "why" else "contradicted") if is_changed else None


def claims_of(rng, records):
    """Returns rows of claims that are generated from the facts of records."""
    facts = [fact for record in records for fact in record.facts]
    events = [fact for fact in facts if isinstance(fact, EventFact) and not isinstance(fact, OwnEvent)]
    attributes = [each for each in facts if isinstance(each, AttributeFact) and not isinstance(each, BareFact)]
    givens = [each.agent.split()[0] for each in events] + ["Peter", "Hanna"]
    chosen = rng.sample(attributes + events, min(len(attributes + events), CLAIMS_PER_SET))
    rows = []
    for fact in chosen:
        is_event = isinstance(fact, EventFact)
        made = event_claim(rng, fact, givens) if is_event else attribute_claim(rng, fact, facts)
        if made:
            claim, evidence, label = made
            rows.append({"set": "generated", "claim": sentence(claim), "evidence": evidence, "label": label})
    return rows
