"""Exports the pair model as an ONNX graph with integer arithmetic, compares it with the weights, and times it.

Usage: python export_pairs.py runs/NAME/model.pt TO [--check made.jsonl.gz]
TO gets pairs.onnx: inputs `input_ids` and `token_type_ids`; outputs `answers`, a logit per pair, and `supports`, three.
Pairs are meant to be read one at a time without padding. Weights have 7 bits to avoid saturation on any CPU.
"""

import argparse
import hashlib
import random
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnxruntime
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

from pairs_data import read_rows
from pairs_model import LABELS, TOKENS_MAX, PairReader, batch, load_model

OPSET = 17
CHECKED_PAIRS = 500
LOGIT_DIFFERENCE_MAX, LOGIT_DIFFERENCE_MEAN_MAX = 3.0, 0.25
"""Eight-bit activations change logits slightly. A larger difference indicates a faulty export."""
TIMED_PAIRS, TIMED_STATEMENTS, ROUNDS = 100, 24, 5


class Exported(torch.nn.Module):
    """The model with both heads, for pairs without padding."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, types):
        features = self.model.features(ids, None, types)
        return self.model.answers(features).squeeze(-1), self.model.supports(features)


def write_graph(model, to):
    """Writes the quantized graph of a model."""
    example = torch.ones((1, 16), dtype=torch.long), torch.zeros((1, 16), dtype=torch.long)
    names = {"input_names": ["input_ids", "token_type_ids"], "output_names": ["answers", "supports"]}
    axes = {name: {0: "pairs", 1: "tokens"} for name in names["input_names"]} | {
        "answers": {0: "pairs"},
        "supports": {0: "pairs"},
    }
    with TemporaryDirectory() as folder:
        torch.onnx.export(
            Exported(model).eval(), example, f"{folder}/full.onnx", opset_version=OPSET, dynamic_axes=axes, **names
        )
        quantize_dynamic(f"{folder}/full.onnx", to, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)


def open_session(path, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def run_pair(session, pair):
    """Returns the answer logit of one pair."""
    ids, head = pair
    types = np.zeros((1, len(ids)), np.int64)
    types[0, head:] = 1
    return float(session.run(["answers"], {"input_ids": np.array([ids], np.int64), "token_type_ids": types})[0][0])


def some_pairs(path, reader, count):
    """Returns pairs of questions and statements of a file."""
    rng, found = random.Random(3), []
    rows = read_rows(path)
    while len(found) < count:
        row = rng.choice(rows)
        found += reader.pairs(
            rng.choice(row["questions"])["question"], rng.sample(row["statements"], min(5, len(row["statements"])))
        )
    return found[:count]


def check(model, session, pairs):
    """Prints the logit differences between the quantized graph and the weights. Exits with an error if too large."""
    exact = []
    with torch.no_grad():
        for start in range(0, len(pairs), 50):
            exact += model(*batch(pairs[start : start + 50])).tolist()
    exact, kept = np.array(exact), np.array([run_pair(session, pair) for pair in pairs])
    difference = np.abs(exact - kept)
    correlation, same_side = np.corrcoef(exact, kept)[0, 1], np.mean((exact > 0) == (kept > 0))
    print(f"logits of {len(pairs)} pairs: difference mean {difference.mean():.3f}, largest {difference.max():.3f}")
    print(f"correlation {correlation:.4f}, on the same side of 0: {same_side:.3f}")
    if difference.max() > LOGIT_DIFFERENCE_MAX or difference.mean() > LOGIT_DIFFERENCE_MEAN_MAX:
        raise SystemExit(
            "The integer graph differs too much from the weights. Check the quantization and the checkpoint."
        )


def measure(path, pairs):
    """Prints tokens per second on one and two threads, and the time for 24 statements of 128 tokens.

    Times are the best of several rounds. CPU time is more reliable if other programs are running.
    """
    longest = [([101] + [2000] * (TOKENS_MAX - 2) + [102], 12)] * TIMED_STATEMENTS
    for threads in (1, 2):
        session = open_session(path, threads)
        for name, timed in ((f"{len(pairs)} pairs", pairs), (f"{TIMED_STATEMENTS} of {TOKENS_MAX} tokens", longest)):
            rounds = []
            for _ in range(ROUNDS):
                start = time.perf_counter(), time.process_time()
                for pair in timed:
                    run_pair(session, pair)
                rounds.append((time.perf_counter() - start[0], time.process_time() - start[1]))
            wall, processor = (min(each) for each in zip(*rounds))
            tokens = sum(len(ids) for ids, _ in timed)
            speed = f"{tokens / wall:.0f} tokens/s, {tokens / processor:.0f} per processor second"
            print(f"{threads} threads, {name}: {1000 * wall:.0f} ms ({1000 * processor:.0f} ms of processor), {speed}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights", type=Path)
    parser.add_argument("to", type=Path)
    parser.add_argument("--check", help="a generated or public file whose pairs are compared")
    parser.add_argument("--layers", type=int, default=6)
    options = parser.parse_args()
    options.to.mkdir(parents=True, exist_ok=True)
    model, graph = load_model(options.weights, options.layers).eval(), options.to / "pairs.onnx"
    write_graph(model, graph)
    if options.check:
        pairs = some_pairs(options.check, PairReader(), CHECKED_PAIRS)
        check(model, open_session(graph, 1), pairs)
        measure(graph, pairs[:TIMED_PAIRS])
    checksum = hashlib.sha256(graph.read_bytes()).hexdigest()
    print(f"{graph}: {graph.stat().st_size} bytes, SHA-256 {checksum}, labels {LABELS}")


if __name__ == "__main__":
    main()
