"""Reads training sets and draws groups: a question with statements, of which some or none answer it."""

import glob
import gzip
import io
import json
import lzma
import os
import re
import sys
import tarfile

LEFT_OUT = {
    "xquad": "for evaluation only",
    "pubmedqa": "its answering statement is always the last",
    "withheld": "made from the other sets; answers are withheld here instead",
    "bioasq": "abstracts of many publishers; the repository states no terms",
    "friendsqa": "scripts of a television series, which the licence of the annotation does not cover",
}
LEFT_OUT_REPOSITORIES = {
    "jellyfin/jellyfin.org": "no derivatives",
    "vuejs/docs": "terms of the content are restricted",
    "grafana/loki": "AGPL",
    "mastodon/documentation": "GFDL",
    "ansible/ansible-documentation": "GPL",
    "netdata/netdata": "GPL",
    "ethereum/solidity": "GPL",
}
LEFT_OUT_CLAIMS = {
    "infotabs": "its authors ask to be read before other than academic use",
    "semi-auto-nli": "terms of the annotation not stated",
    "wice": "web pages of others",
    "edited-text": "holds sentences of sets that are left out",
}
"""Excluded sets with the reason, mostly terms that do not clearly allow publishing trained weights."""
STATEMENTS_MAX = 120
STOP = set(
    "a an the of to in on at for and or is are was were be been do does did has have had what which who whom whose "
    "when where why how much many with by from as it its this that there their i we you my our me can".split()
)
MONTHS = "January February March April May June July August September October November December".split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
WITHHELD, EDITED, EDITED_STATEMENT = 0.12, 0.1, 0.15
"""Shares of answerable questions that lose their answer, get a changed detail, or get a changed answer added."""


def content_words(text):
    return {word[:6] for word in re.findall(r"[^\W_]+", text.lower()) if word not in STOP}


def public_row(row):
    """Converts a row of a public set to the format of generated rows."""
    title, statements, labels = row.get("title") or "", [], []
    for each in row["statements"][:STATEMENTS_MAX]:
        if each["text"].strip():
            path = " › ".join(dict.fromkeys(part for part in (title, each.get("heading") or "") if part))
            statements.append(
                [" · ".join(part for part in (path, each.get("speaker"), each.get("date")) if part), each["text"]]
            )
            labels.append(int(each["label"]))
    return {
        "set": row["set"],
        "kind": row["kind"],
        "title": title,
        "statements": statements,
        "questions": [{"question": row["question"], "labels": labels}],
    }


def open_lines(path):
    """Opens a text file, compressed or not."""
    return gzip.open(path, "rt", encoding="utf-8") if str(path).endswith(".gz") else open(path, encoding="utf-8")


def read_rows(path):
    """Returns the rows of a file, generated or public."""
    with open_lines(path) as lines:
        rows = [
            row if "questions" in row else public_row(row)
            for row in map(json.loads, lines)
            if row.get("id", "").split(":")[0] not in LEFT_OUT_REPOSITORIES
        ]
    return [row for row in rows if len(row["statements"]) > 1 and row["questions"]]


class Questions:
    """Questions of several files, drawn by set with given weights."""

    def __init__(self, files, generated_share):
        self.rows, self.by_set, self.by_title = [], {}, {}
        for path in files:
            for row in read_rows(path):
                at = len(self.rows)
                self.rows.append(row)
                for number in range(len(row["questions"])):
                    self.by_set.setdefault(row["set"], []).append((at, number))
                if row.get("title"):
                    self.by_title.setdefault((row["set"], row["title"]), []).append(at)
        self.names = list(self.by_set)
        weights = {name: min(len(self.by_set[name]), 20_000) ** 0.75 for name in self.names}
        public = sum(weight for name, weight in weights.items() if name != "generated") or 1
        self.weights = [
            generated_share if name == "generated" else (1 - generated_share) * weights[name] / public
            for name in self.names
        ]

    def group(self, rng, size):
        """Returns a question and `size` labeled statements: answers and negatives."""
        at, number = rng.choice(self.by_set[rng.choices(self.names, self.weights)[0]])
        row = self.rows[at]
        question, labels = row["questions"][number]["question"], row["questions"][number]["labels"]
        right = [statement for statement, label in zip(row["statements"], labels) if label == 1]
        wrong = [statement for statement, label in zip(row["statements"], labels) if label == 0]
        chosen = []
        if right and not (rng.random() < WITHHELD and len(wrong) >= 2):
            edited = edited_question(rng, question, right, wrong) if rng.random() < EDITED else None
            if edited:
                question, wrong = edited, right[:2] + wrong
            else:
                chosen = [(each, 1) for each in rng.sample(right, min(len(right), 2 if rng.random() < 0.3 else 1))]
                changed = (
                    edited_statement(rng, question, chosen[0][0], wrong) if rng.random() < EDITED_STATEMENT else None
                )
                wrong = ([changed] if changed else []) + wrong
        return question, fill_group(rng, self, row, question, chosen, wrong, size)


def fill_group(rng, questions, row, question, chosen, wrong, size):
    """Adds negatives: most from the same records, others from records of the same title or from anywhere."""
    asked = content_words(question)
    ranked = sorted(
        wrong, key=lambda each: -len(asked & content_words(" ".join(each))) / (len(asked) or 1) - 0.4 * rng.random()
    )
    own = ranked[: size - len(chosen) - (rng.random() < 0.4)]
    rest = [(each, 0) for each in own]
    siblings = questions.by_title.get((row["set"], row.get("title")), [])
    while len(chosen) + len(rest) < size:
        other = questions.rows[
            rng.choice(siblings) if len(siblings) > 1 and rng.random() < 0.5 else rng.randrange(len(questions.rows))
        ]
        if other["statements"] is not row["statements"] or not wrong:
            rest.append((rng.choice(other["statements"]), 0))
    group = chosen + rest
    rng.shuffle(group)
    return (
        group[:size] if len(group) <= size else chosen + [each for each in group if each[1] == 0][: size - len(chosen)]
    )


def details(text):
    """Returns the numbers, weekdays, months and names of a text."""
    words = re.findall(r"(?<![\w.,])(?:\d+(?:[.,:]\d+)*|[A-ZÀ-Ý][\w’'-]+)(?!\w)", text)
    return [word for word in dict.fromkeys(words) if word.lower() not in STOP]


def another(rng, detail, pool):
    """Returns another detail of the same kind: a close number, another day or month, or a name of the pool."""
    if detail in MONTHS or detail in WEEKDAYS:
        return rng.choice([each for each in (MONTHS if detail in MONTHS else WEEKDAYS) if each != detail])
    if detail[0].isdigit():
        if not detail.isdigit():
            return re.sub(r"\d$", lambda digit: str((int(digit[0]) + rng.randint(1, 8)) % 10), detail)
        return str(max(0, int(detail) + rng.choice([-10, -2, -1, 1, 1, 2, 3, 10])))
    names = [
        each for each in pool if each != detail and each[0].isupper() and each not in MONTHS and each not in WEEKDAYS
    ]
    return rng.choice(names) if names else None


def edited_question(rng, question, right, wrong):
    """Returns the question with a changed number, day or name, so that no statement answers it; or None."""
    context = " ".join(each[0] for each in right)
    shared = [
        each
        for each in details(question)[0 if question[:1].islower() else 1 :]
        if all(each in text for _, text in right) and each not in context
    ]
    if not shared:
        return None
    detail = rng.choice(shared)
    pool = [each for _, text in wrong[:20] for each in details(text)[1:]]
    other = another(rng, detail, pool)
    if other is None or other in question or any(other in text for _, text in right):
        return None
    rest = content_words(question) - {detail.lower()[:6]}
    if any(other in text and len(rest & content_words(text)) > len(rest) / 2 for _, text in wrong):
        return None
    return re.sub(rf"(?<!\w){re.escape(detail)}(?!\w)", lambda _: other, question)


def edited_statement(rng, question, statement, wrong):
    """Returns the answering statement with a number, day or name that the question does not ask for; or None."""
    shared = [each for each in details(question) if each in statement[1] and each not in statement[0]]
    if not shared:
        return None
    detail = rng.choice(shared)
    other = another(rng, detail, [each for _, text in wrong[:20] for each in details(text)[1:]])
    if other is None or other in question or other in statement[1]:
        return None
    return [statement[0], re.sub(rf"(?<!\w){re.escape(detail)}(?!\w)", lambda _: other, statement[1])]


class Claims:
    """Claims with evidence, drawn by set and label."""

    def __init__(self, files):
        self.rows = {}
        for path in files:
            with open_lines(path) as lines:
                for row in map(json.loads, lines):
                    self.rows.setdefault(row["set"], []).append((row["claim"], row["evidence"], row["label"]))
        self.names = list(self.rows)
        self.weights = [min(len(self.rows[name]), 30_000) ** 0.75 for name in self.names]

    def draw(self, rng, count):
        return [rng.choice(self.rows[name]) for name in rng.choices(self.names, self.weights, k=count)]


def sets_of(folder):
    """Returns the training and held-out files of each set in a folder."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl*"))):
        name, *rest = os.path.basename(path).split(".")
        found.setdefault(name, {})["dev" if rest[0] == "dev" else "train"] = path
    return found


def licensed(folder, left_out):
    """Returns the usable sets of a folder. A manifest, if there is one, marks sets without open terms."""
    manifest = os.path.join(folder, "manifest.json")
    listed = []
    if os.path.exists(manifest):
        with open(manifest, encoding="utf-8") as file:
            listed = json.load(file)["sets"]
    closed = {each["set"] for each in listed if each.get("licence_class", "open") != "open"}
    return {name: files for name, files in sets_of(folder).items() if name not in left_out and name not in closed}


def training_files(folder, left_out):
    return [files["train"] for files in licensed(folder, left_out).values() if "train" in files]


def pack(folder, to):
    """Packs the usable public sets (`data` and `claims` of a folder) into one file for another machine."""
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 3, "dict_size": 64 << 20}]
    with lzma.open(to, "wb", filters=filters) as packed, tarfile.open(fileobj=packed, mode="w|") as archive:
        for part, left_out in (("data", LEFT_OUT), ("claims", LEFT_OUT_CLAIMS)):
            for files in licensed(os.path.join(folder, part), left_out).values():
                for path in files.values():
                    with gzip.open(path) as file:
                        text = file.read()
                    entry = tarfile.TarInfo(f"{part}/{os.path.basename(path).removesuffix('.gz')}")
                    entry.size = len(text)
                    archive.addfile(entry, io.BytesIO(text))
    print(f"{os.path.getsize(to)} bytes in {to}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("Usage: pairs_data.py PAIRS TO.tar.xz; PAIRS has the folders data and claims.")
    pack(sys.argv[1], sys.argv[2])
