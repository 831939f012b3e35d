"""Trains the pair model on public and generated questions, with both of its heads, on a CPU or a GPU.

Usage: python train_pairs.py --out runs/NAME --generated made.jsonl.gz [--seconds N]
An interrupted run resumes from runs/NAME/checkpoint.pt, which has the optimizer's state. model.pt is the result.
Training is a softmax choice: loss = -log(sum of e^z over the answers / (1 + sum of e^z over all)), where 1 is "none".
"""

import argparse
import random
import time
from pathlib import Path

import torch
from torch.nn import functional

from pairs_data import LEFT_OUT, LEFT_OUT_CLAIMS, Claims, Questions, training_files
from pairs_model import ENCODER, LABELS, PairReader, batch, load_model

WARM_UP_STEPS, DECAY_SHARE = 100, 0.3
"""Learning rate schedule: 100 warmup steps, then constant, then decay to zero in the last 30 % of the time."""
BINARY_WEIGHT, CLAIMS_WEIGHT, HEAD_RATE = 0.3, 0.5, 5
IMPOSSIBLE = -1e9


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--start",
        default=ENCODER / "model.onnx",
        help="weights to start from: model.pt, or those of the shipped encoder",
    )
    parser.add_argument("--public", default="", help="folder with public sets of questions")
    parser.add_argument("--claims", default="", help="folder with public sets of claims")
    parser.add_argument("--generated", nargs="*", default=[], help="files that `python -m generate` wrote")
    parser.add_argument("--generated-claims", nargs="*", default=[])
    parser.add_argument("--generated-share", type=float, default=0.6, help="share of questions from generated files")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--questions", type=int, default=12, help="questions a step")
    parser.add_argument("--statements", type=int, default=8, help="statements a question")
    parser.add_argument("--claims-count", type=int, default=12, help="claims a step")
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument(
        "--frozen", type=int, default=0, help="lowest layers that are not trained, to save time on a CPU"
    )
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument(
        "--workers", type=int, default=0, help="processes that prepare batches: 0 on two cores, 12 next to a GPU"
    )
    parser.add_argument("--at-once", type=int, default=32, help="pairs in one forward pass; a large number on a GPU")
    parser.add_argument("--save-every", type=float, default=300, help="seconds between checkpoints")
    parser.add_argument("--show-every", type=int, default=50, help="steps between lines of the log")
    parser.add_argument("--bfloat16", action="store_true", help="16 bits on a CPU too: twice as fast with AVX512_BF16")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


class Batches(torch.utils.data.IterableDataset):
    """An endless stream of steps: pairs sorted by length and cut into batches, labels, and labels of claims."""

    def __init__(self, options, questions, claims, seed):
        self.options, self.questions, self.claims, self.seed = options, questions, claims, seed
        self.reader = PairReader()

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        rng = random.Random(f"{self.seed}.{worker.id if worker else 0}")
        options = self.options
        while True:
            pairs, labels = [], []
            for _ in range(options.questions):
                question, group = self.questions.group(rng, options.statements)
                pairs += self.reader.pairs(question, [statement for statement, _ in group])
                labels += [label for _, label in group]
            rows = self.claims.draw(rng, options.claims_count) if self.claims else []
            pairs += self.reader.claims([row[:2] for row in rows])
            order = sorted(range(len(pairs)), key=lambda at: len(pairs[at][0]))
            parts = [
                batch([pairs[at] for at in order[start : start + options.at_once]])
                for start in range(0, len(pairs), options.at_once)
            ]
            places = torch.empty(len(pairs), dtype=torch.long)
            places[torch.tensor(order)] = torch.arange(len(pairs))
            yield (
                parts,
                places,
                torch.tensor(labels, dtype=torch.float32),
                torch.tensor([LABELS.index(row[2]) for row in rows]),
            )


def choice_loss(logits, labels):
    """Returns the loss of choosing an answer or none, and the share of right choices."""
    answered = labels.sum(1) > 0
    none = torch.zeros_like(logits[:, :1])
    every = torch.logsumexp(torch.cat([logits, none], 1), 1)
    right = torch.where(answered, torch.logsumexp(logits.masked_fill(labels == 0, IMPOSSIBLE), 1), none[:, 0])
    top = logits.max(1)
    hit = torch.where(top.values > 0, labels.gather(1, top.indices[:, None])[:, 0], (~answered).float())
    return (every - right).mean() + BINARY_WEIGHT * functional.binary_cross_entropy_with_logits(
        logits, labels
    ), hit.mean()


def rate_at(step, done):
    return min(1.0, step / WARM_UP_STEPS) * min(1.0, max(0.0, (1 - done) / DECAY_SHARE))


class Run:
    """A model in training, with its optimizer and checkpoint."""

    def __init__(self, options):
        self.options, self.device = options, "cuda" if torch.cuda.is_available() else "cpu"
        self.model = load_model(options.start, options.layers).to(self.device).train()
        self.model.dropout = options.dropout
        for fixed in (self.model.words, *self.model.layers[: options.frozen]):
            fixed.requires_grad_(False)
        heads = [*self.model.answers.parameters(), *self.model.supports.parameters()]
        body = [
            each
            for name, each in self.model.named_parameters()
            if each.requires_grad and not name.startswith(("answers", "supports"))
        ]
        self.trained = body + heads
        groups = [
            {"params": body, "lr": options.rate, "weight_decay": 0.01, "factor": 1},
            {"params": heads, "lr": options.rate, "weight_decay": 0.0, "factor": HEAD_RATE},
        ]
        self.optimizer = torch.optim.AdamW(groups, fused=self.device == "cuda")
        self.step, self.seconds, self.file = 0, 0.0, options.out / "checkpoint.pt"
        options.out.mkdir(parents=True, exist_ok=True)
        if self.file.exists():
            state = torch.load(self.file, map_location=self.device, weights_only=True)
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.step, self.seconds = state["step"], state["seconds"]
            print(f"continues at step {self.step}, {self.seconds:.0f} s", flush=True)

    def save(self):
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "seconds": self.seconds,
        }
        torch.save(state, f"{self.file}.new")
        Path(f"{self.file}.new").rename(self.file)

    def train(self, item):
        """Makes one step; returns its losses and the shares of right choices and claims."""
        parts, places, labels, claim_labels = item
        count = len(labels)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.options.bfloat16 or self.device == "cuda"):
            features = torch.cat(
                [self.model.features(*(each.to(self.device, non_blocking=True) for each in part)) for part in parts]
            )
        features = features.float()[places.to(self.device)]
        logits = self.model.answers(features[:count]).view(-1, self.options.statements)
        loss, hit = choice_loss(logits, labels.to(self.device).view(-1, self.options.statements))
        claim_hit = torch.zeros(())
        if len(claim_labels):
            claim_labels = claim_labels.to(self.device)
            judged = self.model.supports(features[count:])
            loss = loss + CLAIMS_WEIGHT * functional.cross_entropy(judged, claim_labels)
            claim_hit = (judged.argmax(1) == claim_labels).float().mean()
        for group in self.optimizer.param_groups:
            group["lr"] = self.options.rate * group["factor"] * rate_at(self.step, self.seconds / self.options.seconds)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.trained, 1.0)
        self.optimizer.step()
        return torch.stack([loss.detach(), hit, claim_hit.to(self.device)])


def main():
    options = read_options()
    torch.manual_seed(options.seed)
    torch.multiprocessing.set_sharing_strategy("file_system")  # Many workers would run out of file descriptors.
    run = Run(options)
    questions = Questions(
        options.generated + (training_files(options.public, LEFT_OUT) if options.public else []),
        options.generated_share,
    )
    claim_files = options.generated_claims + (training_files(options.claims, LEFT_OUT_CLAIMS) if options.claims else [])
    claims = Claims(claim_files) if claim_files and options.claims_count else None
    print(
        {name: len(questions.by_set[name]) for name in questions.names},
        {name: len(rows) for name, rows in (claims.rows if claims else {}).items()},
        flush=True,
    )
    batches = Batches(options, questions, claims, options.seed + run.step)
    loader = torch.utils.data.DataLoader(
        batches,
        batch_size=None,
        num_workers=options.workers,
        pin_memory=run.device == "cuda",
        prefetch_factor=4 if options.workers else None,
    )
    before, saved, recent, pairs = time.time(), time.time(), [], 0
    start = before - run.seconds
    for item in loader:
        run.step, run.seconds = run.step + 1, time.time() - start
        if run.seconds > options.seconds:
            break
        recent.append(run.train(item))
        pairs += len(item[1])
        if run.step % options.show_every == 0:
            loss, hit, claim_hit = torch.stack(recent[-300:]).mean(0).tolist()
            speed = pairs / (time.time() - before)
            shares = f"right {hit:.3f} claims {claim_hit:.3f}"
            print(f"step {run.step} loss {loss:.3f} {shares} pairs/s {speed:.0f} s {run.seconds:.0f}", flush=True)
        if time.time() - saved > options.save_every:
            run.save()
            saved = time.time()
    run.save()
    torch.save({name: value.half() for name, value in run.model.state_dict().items()}, options.out / "model.pt")
    print(f"done: {run.step} steps, {run.seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
