"""Draws words and values: names, dates, amounts, places, codes. All of them take a random generator."""

import re
from pathlib import Path

BANKS = Path(__file__).parent / "banks"


def read_lists():
    """Returns the word lists of words.txt by name."""
    lines = (BANKS / "words.txt").read_text(encoding="utf-8").splitlines()
    found = {}
    for name, words in (line.split(": ", 1) for line in lines if line and not line.startswith("#")):
        found.setdefault(name, []).extend(words.split(", "))
    return found


LISTS = read_lists()
DAYS_OF_MONTH = 28
CURRENCIES = ["{} euros", "€{}", "{} €", "£{}", "${}", "{} dollars", "{} kroner", "{} francs"]


def choose(rng, template):
    """Resolves the alternatives of a template: `[a|b|]` becomes one of its parts, innermost first."""
    while "[" in template:
        resolved = re.sub(r"\[([^\[\]]*)\]", lambda found: rng.choice(found[1].split("|")), template)
        if resolved == template:
            break
        template = resolved
    return template


def fill(rng, template, **given):
    """Resolves alternatives, then replaces each `{slot}` by a given text or by a drawn value."""
    text = choose(rng, template)
    for _ in range(3):
        text = re.sub(r"\{(\w+)\}", lambda found: str(given.get(found[1]) or draw(rng, found[1])), text)
        if "{" not in text:
            break
    text = re.sub(r"\b([Tt]he) the\b", r"\1", re.sub(r"  +", " ", text))
    return re.sub(r"\s+([.,;:?!])(?=\s|$)", r"\1", text).strip()


def draw(rng, kind):
    """Returns a value of a kind: drawn by the function below or from the word list of that name."""
    if kind in VALUES:
        return VALUES[kind](rng)
    return fill(rng, rng.choice(LISTS[kind])) if kind == "cause" else rng.choice(LISTS[kind])


def clock(rng):
    hour, minute = rng.randint(6, 21), rng.choice([0, 0, 0, 15, 30, 30, 45, rng.randrange(60)])
    if minute == 0 and rng.random() < 0.4:
        return (
            f"{hour if hour <= 12 else hour - 12} {'a.m.' if hour < 12 else 'p.m.'}"
            if rng.random() < 0.5
            else f"{hour}:00"
        )
    return f"{hour}:{minute:02d}" if rng.random() < 0.8 else f"{hour:02d}.{minute:02d}"


def date(rng, year=None):
    day, month = rng.randint(1, DAYS_OF_MONTH), rng.randrange(12)
    name, year = LISTS["month"][month], year or rng.choice([2024, 2025, 2026, 2026, 2027])
    return rng.choice(
        [
            f"{day} {name}",
            f"{day} {name}",
            f"{name} {day}",
            f"{day} {name} {year}",
            f"{name} {day}, {year}",
            f"{year}-{month + 1:02d}-{day:02d}",
            f"{day:02d}.{month + 1:02d}.{year}",
            f"{day} {name[:3]}",
        ]
    )


def written_date(rng):
    return f"{rng.randint(1, DAYS_OF_MONTH)} {rng.choice(LISTS['month'])} {rng.choice([2024, 2025, 2026])}"


def money(rng):
    amount = rng.choice(
        [rng.randint(2, 99), rng.randint(100, 999), rng.randint(10, 99) * 100, rng.randint(1, 60) + 0.5]
    )
    written = f"{amount:,}" if isinstance(amount, int) else f"{amount:.2f}"
    return rng.choice(CURRENCIES).format(written)


def phone(rng):
    return rng.choice(
        [
            f"{rng.randint(100, 999)}",
            f"0{rng.randint(20, 99)} {rng.randint(1000, 9999)} {rng.randint(100, 999)}",
            f"+{rng.randint(30, 60)} {rng.randint(100, 999)} {rng.randint(100000, 999999)}",
        ]
    )


def email(rng):
    local = rng.choice([draw(rng, "given"), rng.choice(["office", "hello", "orders", "help", "booking", "team"])])
    return f"{local.lower()}@{draw(rng, 'stem').lower()}.example"


def code(rng):
    letters = "".join(rng.choice("ABCDEFGHKLMNPRSTUVWX") for _ in range(rng.randint(1, 3)))
    return rng.choice(
        [f"{letters}-{rng.randint(10, 9999)}", f"{rng.randint(1000, 9999)}", f"{letters}{rng.randint(10, 999)}"]
    )


def duration(rng):
    count, unit = rng.choice(
        [
            (rng.randint(2, 50), "minutes"),
            (rng.randint(2, 12), "hours"),
            (rng.randint(2, 28), "days"),
            (rng.randint(2, 10), "weeks"),
            (rng.randint(2, 18), "months"),
            (rng.randint(2, 10), "years"),
        ]
    )
    return f"{count} {unit}"


def frequency(rng):
    return (
        rng.choice(
            [
                "once a week",
                "twice a week",
                "every two weeks",
                "once a month",
                "every quarter",
                "every day",
                "every {weekday}",
                "twice a year",
                "every hour",
                "on the first {weekday} of the month",
                "every {n} days",
                "every night",
                "once a year",
            ]
        )
        .replace("{weekday}", draw(rng, "weekday"))
        .replace("{n}", str(rng.randint(3, 10)))
    )


def invented(rng):
    """Returns an invented name, such as "Torvila"."""
    parts = [
        "ka",
        "ve",
        "lo",
        "tri",
        "mar",
        "no",
        "sel",
        "da",
        "qui",
        "ro",
        "fen",
        "ta",
        "bel",
        "or",
        "vi",
        "zu",
        "lin",
        "pa",
        "gor",
        "ne",
    ]
    return "".join(rng.choice(parts) for _ in range(rng.choice([2, 2, 3]))).capitalize() + rng.choice(
        ["", "", "n", "x", "a", "is"]
    )


def product(rng):
    name = rng.choice([draw(rng, "stem"), invented(rng)])
    return rng.choice(
        [
            name,
            f"{name} {rng.randint(2, 9)}",
            f"{name} {rng.randint(1, 9)}00",
            f"{name} Pro",
            f"{name}{rng.choice(['Flow', 'Desk', 'Box', 'Kit'])}",
        ]
    )


def quantity(rng):
    return f"{rng.randint(2, 400)} {draw(rng, 'measure')}"


VALUES = {
    "person": lambda rng: rng.choice([draw(rng, "given"), f"{draw(rng, 'given')} {draw(rng, 'surname')}"]),
    "fullname": lambda rng: f"{draw(rng, 'given')} {draw(rng, 'surname')}",
    "company": lambda rng: (
        f"{rng.choice([draw(rng, 'stem'), draw(rng, 'surname'), invented(rng)])} {draw(rng, 'firm')}"
    ),
    "clock": clock,
    "date": date,
    "money": money,
    "phone": phone,
    "email": email,
    "code": code,
    "duration": duration,
    "frequency": frequency,
    "invented": invented,
    "product": product,
    "quantity": quantity,
    "hours": lambda rng: (
        f"{rng.randint(6, 11)}:{rng.choice(['00', '30'])} to {rng.randint(12, 22)}:{rng.choice(['00', '30'])}"
    ),
    "year": lambda rng: str(rng.randint(1950, 2026)),
    "n": lambda rng: str(rng.randint(2, 12)),
    "n2": lambda rng: str(rng.randint(2, 99)),
    "n3": lambda rng: str(rng.randint(100, 499)),
    "n4": lambda rng: str(rng.randint(1000, 9999)),
    "letter": lambda rng: rng.choice("ABCDEFGH"),
    "percent": lambda rng: (
        f"{rng.choice([rng.randint(2, 95), rng.randint(10, 99) / 10])} {rng.choice(['%', 'percent'])}"
    ),
    "size": lambda rng: rng.choice(
        [
            f"{rng.randint(8, 900)} square metres",
            f"{rng.randint(2, 60)} m",
            f"{rng.randint(20, 240)} x {rng.randint(20, 240)} cm",
        ]
    ),
    "weight": lambda rng: f"{rng.randint(2, 900)} kg",
    "degrees": lambda rng: f"{rng.randint(-20, 95)} °C",
    "address": lambda rng: f"{rng.randint(1, 140)} {draw(rng, 'street')}",
    "version": lambda rng: f"{rng.randint(0, 9)}.{rng.randint(0, 20)}{rng.choice(['', f'.{rng.randint(0, 9)}'])}",
    "port": lambda rng: str(rng.choice([rng.randint(1024, 9999), rng.randint(10000, 65000)])),
    "path": lambda rng: f"/{draw(rng, 'root')}/{draw(rng, 'stem').lower()}/{draw(rng, 'leaf')}",
    "url": lambda rng: (
        f"https://{draw(rng, 'stem').lower()}.example/{rng.choice(['docs', 'wiki', 'shop', 'forms', 'status', 'rota'])}"
    ),
    "password": lambda rng: f"{draw(rng, 'stem').lower()}-{rng.randint(10, 9999)}",
    "megabytes": lambda rng: (
        f"{rng.choice([rng.randint(1, 64), 100, 128, 250, 256, 512])} {rng.choice(['MB', 'GB', 'MiB'])}"
    ),
    "seconds": lambda rng: f"{rng.choice([5, 10, 15, 20, 30, 45, 60, 90, 120, 300])} seconds",
    "days": lambda rng: " and ".join(f"{day}s" for day in rng.sample(LISTS["weekday"], 2)),
    "onday": lambda rng: f"on {draw(rng, 'weekday')}s",
    "forgroup": lambda rng: f"for {draw(rng, 'group')}",
}
