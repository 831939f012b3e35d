"""Facts of an invented organization. Each has many statement templates and many question templates.

A statement has the keys of the facts that it states (`told`). A question has the keys that answer it (`want`) and
those that may (`maybe`). The label is 1 if a wanted key is stated, -1 (ignored) if a possible one is, else 0.
"""

from dataclasses import dataclass, field

from .bank import HELD_WORDINGS, PATTERNS, is_held
from .words import choose, draw, fill, written_date

CHANGED_SHARE, QUALIFIED_SHARE = 0.3, 0.35
"""Share of facts with a previous value; share of qualifiable facts that hold only for one day or group."""
DRAWS_MAX = 9


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
    """Keys that may answer. A trailing `*` matches any suffix."""
    near: str = ""
    """The intended kind of near miss; empty if the question is meant to have an answer."""
    held: str = ""


def sentence(text, stop="."):
    """Returns a text with a capital first letter and a period."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "?", "!", ":", "`", ",")) else text + stop


def pick_wording(rng, templates, heldout):
    """Returns one of the templates, and "wording" if that template is held out of the training data."""
    trained = [each for each in templates if not is_held(each, HELD_WORDINGS)] or templates[:1]
    template = rng.choice(templates if heldout else trained)
    return template, "" if template in trained else "wording"


def ask(rng, templates, want, heldout, near="", **slots):
    """Returns a question: one of the templates with its slots filled."""
    template, held = pick_wording(rng, templates, heldout)
    return Asked(fill(rng, template, **slots), {want}, set(), near, held)


class AttributeFact:
    """One attribute of a thing, such as the price of a product. It may have had another value before."""

    def __init__(self, rng, attribute, subject, alias=""):
        self.attribute, self.subject, self.alias = attribute, subject, alias or subject
        self.slots, self.qualifier = {}, ""
        if attribute.qualifier and rng.random() < QUALIFIED_SHARE:
            self.qualifier = draw(rng, attribute.qualifier)
        self.value = self.draw_value(rng)
        self.old = self.draw_value(rng, self.value) if rng.random() < CHANGED_SHARE else ""
        self.stem = f"{subject}|{attribute.name}"
        self.key = f"{self.stem}|{self.qualifier}"
        self.told_old, self.changed = f"{self.key}|old", f"{self.key}|change"

    def draw_value(self, rng, other=""):
        """Draws a value that differs from the given one. "Ada" and "Ada Berg" count as equal."""
        for _ in range(DRAWS_MAX):
            value = fill(rng, rng.choice(self.attribute.values))
            is_same = other and value.split()[0] == other.split()[0] and not value[0].isdigit()
            if value != other and not is_same and self.subject.lower() not in value.lower():
                break
        return value

    def fill(self, rng, template, **more):
        """Fills a template. Slots that are not given have the same value in all texts about this fact."""
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
        """Returns the fact as a sentence, a noun phrase, or a field below a heading with the thing's name."""
        templates = self.attribute.says if style == "sentence" else PATTERNS[f"{style} says"]
        more = {"v": value} if value else {}
        text = self.fill(rng, rng.choice(templates), name=name, **more)
        if self.qualifier:
            text = f"{text} {self.qualifier}" if rng.random() < 0.7 else f"{self.qualifier}, {text}"
        return text

    def says(self, rng, style="sentence", name=None):
        """Returns statements of the current value, and of the previous value if there is one."""
        told = {self.key, self.value_key()}
        if not self.old or rng.random() < 0.15:
            return [Said(sentence(self.plain(rng, style, name=name)), told)]
        tail = f" {self.qualifier}" if self.qualifier else ""
        if rng.random() < 0.5:
            # The attribute's own wordings of a change have triple weight because they are more natural.
            text = self.fill(rng, rng.choice(3 * self.attribute.changes + PATTERNS["changes"]), name=name) + tail
            return [Said(sentence(text), told | {self.told_old, self.changed})]
        old = self.fill(rng, rng.choice(PATTERNS["old says"]), name=name) + tail
        new = self.fill(rng, rng.choice(PATTERNS["new says"]), plain=self.plain(rng, name=name))
        return [Said(sentence(old), {self.told_old}, {self.changed}), Said(sentence(new), told, {self.changed})]

    def old_plain(self, rng):
        """Returns an earlier statement, from the time of the previous value."""
        return Said(sentence(self.plain(rng, value=self.old)), set(), {self.key, self.told_old, self.changed})

    def asked(self, rng, templates, want, heldout, near="", **more):
        template, held = pick_wording(rng, templates, heldout)
        text = self.fill(rng, template, **more)
        current = self.key in want
        maybe = {f"{self.subject}|{name}|*" for name in self.attribute.alike} | {f"{self.stem}|*"} if current else set()
        return Asked(text, want, maybe, near, held or ("attribute" if self.attribute.held else ""))

    def questions(self, rng, heldout=False):
        """Returns questions that a statement of this fact answers."""
        asks = self.attribute.asks + rng.sample(PATTERNS["noun asks"], 2 if len(self.attribute.asks) > 2 else 1)
        found = [self.asked(rng, asks, {self.key}, heldout)]
        if self.qualifier:
            found[0].text += f" {self.qualifier}"
            found[0].maybe = {f"{self.stem}|"}
        elif rng.random() < 0.1:
            found[0].text += rng.choice(PATTERNS["asks, now"])
        if rng.random() < 0.12:
            value = self.value if rng.random() < 0.5 else self.draw_value(rng, self.value)
            found.append(self.asked(rng, PATTERNS["yes no asks"], {self.key}, heldout, x=value))
        if self.old and not self.qualifier:
            found.append(self.asked(rng, PATTERNS["old asks"], {self.told_old}, heldout))
            found.append(self.asked(rng, self.attribute.asks, {self.key}, heldout))
            found[-1].text += rng.choice(PATTERNS["asks, now"])
            if rng.random() < 0.3:
                found.append(self.asked(rng, PATTERNS["change asks"], {self.changed}, heldout))
        if self.attribute.inverse and not self.qualifier:
            found.append(self.asked(rng, self.attribute.inverse, {self.value_key()}, heldout))
        return found

    def value_key(self, value=None):
        return f"={self.attribute.kind}|{self.attribute.name}|{value or self.value}"

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
            found.append(
                self.asked(rng, self.attribute.inverse, {self.value_key(value)}, heldout, "other value", v=value)
            )
        if not self.old and rng.random() < 0.3:
            found.append(self.asked(rng, PATTERNS["old asks"], {self.told_old}, heldout, "earlier value"))
        return found
