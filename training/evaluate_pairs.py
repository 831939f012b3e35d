"""Measures a pair model: precision of the best statement, and how well its logit detects unanswerable questions.

Usage: python evaluate_pairs.py MODEL [--public DIR] [--generated dev.jsonl.gz] [--folders F.jsonl] [--claims DIR]
MODEL is model.pt, a checkpoint, or an exported pairs.onnx. Folders come from bench/pair-candidates.mjs and are only
measured: nothing is trained on them, and no checkpoint is chosen by them.
"""

import argparse
import json
import random
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch

from pairs_data import Claims, read_rows, sets_of
from pairs_model import LABELS, PairReader, batch, load_model, scores

NOT_MEASURED = ("xquad", "pubmedqa")
WRONGLY_REFUSED = 0.05
STATEMENTS_MAX = 48


class Tally:
    """Results for the questions of one set or kind."""

    def __init__(self):
        self.first, self.second, self.around, self.answered, self.unanswered = [], [], [], [], []

    def add(self, logits, right, around=None):
        order = np.argsort(-logits)
        if any(right):
            self.first.append(bool(right[order[0]]))
            self.second.append(any(right[at] for at in order[:2]))
            self.around.append(bool((around or right)[order[0]]))
            self.answered.append(float(logits.max()))
        else:
            self.unanswered.append(float(logits.max()))

    def join(self, other):
        for name, values in vars(self).items():
            values += getattr(other, name)

    def line(self):
        parts = []
        if self.first:
            first = f"first {sum(self.first)} of {len(self.first)} ({np.mean(self.first):.3f})"
            parts.append(f"{first}, around {sum(self.around)}, two {sum(self.second)}")
        if self.answered and self.unanswered:
            answered, unanswered = np.array(self.answered), np.array(self.unanswered)
            area = np.mean([np.mean(each > unanswered) + np.mean(each == unanswered) / 2 for each in answered])
            bound = np.quantile(answered, WRONGLY_REFUSED)
            refused = f"refused {np.mean(unanswered < bound):.3f} of {len(unanswered)} at {WRONGLY_REFUSED:.2f} wrongly"
            parts.append(f"AUC {area:.3f}, {refused} (logit {bound:.2f})")
            parts.append(f"at logit 0: refused {np.mean(unanswered < 0):.3f}, wrongly {np.mean(answered < 0):.3f}")
        elif self.unanswered:
            parts.append(
                f"{len(self.unanswered)} unanswerable, refused at logit 0: {np.mean(np.array(self.unanswered) < 0):.3f}"
            )
        return "; ".join(parts)


def open_scorer(options, reader):
    """Returns two functions: one scores the statements of a question, the other classifies claims."""
    if options.model.endswith(".onnx"):
        from export_pairs import open_session

        session = open_session(options.model, 1)

        def run(pair, output):
            ids, head = pair
            types = np.zeros((1, len(ids)), np.int64)
            types[0, head:] = 1
            return session.run([output], {"input_ids": np.array([ids], np.int64), "token_type_ids": types})[0][0]

        def score(question, statements):
            return np.array(
                [
                    max(run(pair, "answers") for pair in windows)
                    for windows in reader.pairs(question, statements, windows=True)
                ]
            )

        return score, lambda rows: [int(np.argmax(run(pair, "supports"))) for pair in reader.claims(rows)]
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = load_model(options.model, options.layers).to(device).eval()

    def judge(rows):
        with torch.no_grad():
            return (
                model.supports(model.features(*(each.to(device) for each in batch(reader.claims(rows)))))
                .argmax(1)
                .tolist()
            )

    return lambda question, statements: scores(model, reader, question, statements, device), judge


def measure_questions(score, path, most, rng, tallies, group=None):
    """Scores a sample of the questions in a file and adds each to the tallies of its groups."""
    asked = [(row, each) for row in read_rows(path) for each in row["questions"]]
    for row, each in rng.sample(asked, min(most, len(asked))):
        usable = [(statement, label) for statement, label in zip(row["statements"], each["labels"]) if label >= 0]
        usable = sorted(usable, key=lambda pair: -pair[1])[:STATEMENTS_MAX]
        logits = score(each["question"], [statement for statement, _ in usable])
        for name in group(row, each) if group else [row["set"]]:
            tallies[name].add(logits, [label == 1 for _, label in usable])


def generated_groups(row, asked):
    """Returns the groups of a generated question: its kind of record, what is held out, its kind of near miss."""
    names = ["generated", f"  kind {row['kind']}", f"  held out: {asked['held'] or 'nothing'}"]
    return names + ([f"  near miss: {asked['near']}"] if 1 not in asked["labels"] else [])


def measure_folders(score, path, tallies):
    for row in map(json.loads, Path(path).read_text(encoding="utf-8").splitlines()):
        logits = score(row["question"], [(each["context"], each["text"]) for each in row["statements"]])
        right = [each["right"] for each in row["statements"]]
        if row["answerable"] and not any(right):
            right = [False] * len(right)
            tallies["folders"].first.append(False)
            tallies["folders"].second.append(False)
            tallies["folders"].around.append(bool(row["statements"][int(np.argmax(logits))]["around"]))
            tallies["folders"].answered.append(float(logits.max()))
            continue
        tallies["folders"].add(logits, right, [each["around"] for each in row["statements"]])


def measure_claims(judge, files, most, rng):
    for name, rows in Claims(files).rows.items():
        chosen = rng.sample(rows, min(most, len(rows)))
        found = [
            LABELS[each]
            for start in range(0, len(chosen), 32)
            for each in judge([row[:2] for row in chosen[start : start + 32]])
        ]
        by_label = {
            label: [each == "supported" for each, row in zip(found, chosen) if row[2] == label] for label in LABELS
        }
        accepted = ", ".join(f"{label} {np.mean(each):.2f} of {len(each)}" for label, each in by_label.items() if each)
        right = np.mean([each == row[2] for each, row in zip(found, chosen)])
        print(f"claims {name:20} right {right:.3f} of {len(chosen)}; accepted as supported: {accepted}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--public", help="folder with sets; their held-out files are measured")
    parser.add_argument("--generated")
    parser.add_argument("--folders")
    parser.add_argument("--claims", nargs="*", default=[], help="files of claims")
    parser.add_argument(
        "--most", type=int, default=120, help="questions or claims of each file; eight times as many generated ones"
    )
    parser.add_argument("--layers", type=int, default=6)
    options = parser.parse_args()
    score, judge = open_scorer(options, PairReader())
    rng, tallies = random.Random(5), defaultdict(Tally)
    if options.folders:
        measure_folders(score, options.folders, tallies)
        print(f"folders: {tallies['folders'].line()}", flush=True)
    if options.generated:
        found = defaultdict(Tally)
        measure_questions(score, options.generated, 8 * options.most, rng, found, generated_groups)
        for name in sorted(found, key=lambda name: (name.startswith("  "), name)):
            print(f"{name}: {found[name].line()}", flush=True)
    if options.public:
        every = Tally()
        for name, files in sets_of(options.public).items():
            if "dev" in files and name not in NOT_MEASURED:
                found = defaultdict(Tally)
                measure_questions(score, files["dev"], options.most, rng, found)
                for each in found.values():
                    every.join(each)
                print(f"{name}: {'; '.join(each.line() for each in found.values())}", flush=True)
        print(f"public, all: {every.line()}", flush=True)
    if options.claims:
        measure_claims(judge, options.claims, options.most, rng)


if __name__ == "__main__":
    main()
