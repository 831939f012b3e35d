"""The pair model: a cross-encoder that maps a question and a statement with its context to one logit.

0 is the logit of "none of these answers". A second head judges a claim by its evidence: supported, contradicted or
neither.
The body is a BERT encoder of the size of all-MiniLM-L6-v2.
"""

from pathlib import Path

import numpy as np
import torch
from tokenizers import BertWordPieceTokenizer
from torch import nn
from torch.nn import functional

ENCODER = Path(__file__).parent.parent / "packages/encoder/model"
"""The shipped encoder: its vocabulary and the initial weights."""

SIZE, HEADS, WIDE, VOCABULARY, PLACES = 384, 12, 1536, 30522, 512
EPSILON = 1e-12
TOKENS_MAX, QUESTION_MAX, CONTEXT_MAX = 128, 32, 32
"""Maximum tokens of a pair, of its question and of its context. Longer ones are cut."""
WINDOW_OVERLAP = 24
CLS, SEP, COLON = 101, 102, 1024
LABELS = ["supported", "contradicted", "neither"]
NONE_LOGIT_START = -1.5


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(SIZE, 3 * SIZE), nn.Linear(SIZE, SIZE)
        self.up, self.down = nn.Linear(SIZE, WIDE), nn.Linear(WIDE, SIZE)
        self.norm1, self.norm2 = nn.LayerNorm(SIZE, eps=EPSILON), nn.LayerNorm(SIZE, eps=EPSILON)

    def forward(self, x, mask, dropout):
        count, length, _ = x.shape
        query, key, value = self.qkv(x).view(count, length, 3, HEADS, SIZE // HEADS).permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        attended = self.out(attended.transpose(1, 2).reshape(count, length, SIZE))
        x = self.norm1(x + functional.dropout(attended, dropout, self.training))
        wide = self.down(functional.gelu(self.up(x)))
        return self.norm2(x + functional.dropout(wide, dropout, self.training))


class PairModel(nn.Module):
    def __init__(self, layers=6):
        super().__init__()
        self.words, self.places, self.segments = (
            nn.Embedding(VOCABULARY, SIZE),
            nn.Embedding(PLACES, SIZE),
            nn.Embedding(2, SIZE),
        )
        self.norm = nn.LayerNorm(SIZE, eps=EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.answers, self.supports = nn.Linear(2 * SIZE, 1), nn.Linear(2 * SIZE, len(LABELS))
        self.dropout = 0.0
        for head in (self.answers, self.supports):
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)
        nn.init.constant_(self.answers.bias, NONE_LOGIT_START)

    def features(self, ids, mask, types):
        """Returns the first token's vector concatenated with the mean of all. Without a mask nothing is padding."""
        x = self.norm(self.words(ids) + self.places.weight[: ids.shape[1]] + self.segments(types))
        attended = None if mask is None else (mask > 0)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, attended, self.dropout)
        mean = x.mean(1) if mask is None else (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return torch.cat([x[:, 0], mean], -1)

    def forward(self, ids, mask, types):
        return self.answers(self.features(ids, mask, types).float()).squeeze(-1)


def load_model(path, layers=6):
    """Returns a model with weights from a checkpoint or from an encoder of build_model.py (`.onnx`)."""
    model = PairModel(layers)
    if str(path).endswith(".onnx"):
        model.load_state_dict(from_encoder(path, layers), strict=False)
    else:
        state = torch.load(path, map_location="cpu", weights_only=True)
        model.load_state_dict({name: value.float() for name, value in state.get("model", state).items()})
    return model


def from_encoder(path, layers):
    """Returns the weights of an encoder's ONNX graph under the parameter names of this model."""
    import onnx
    from onnx import numpy_helper

    stored = {each.name: numpy_helper.to_array(each) for each in onnx.load(str(path)).graph.initializer}

    def tensor(name):
        values = stored[name]
        return torch.from_numpy(
            values * stored[f"{name}.scales"] if f"{name}.scales" in stored else np.array(values)
        ).float()

    state = {
        "words.weight": tensor("words"),
        "places.weight": tensor("positions"),
        "segments.weight": torch.zeros(2, SIZE),
    }
    names = {
        "out": "attention.output.dense",
        "up": "intermediate.dense",
        "down": "output.dense",
        "norm1": "attention.output.LayerNorm",
        "norm2": "output.LayerNorm",
    }
    for part in ("weight", "bias"):
        state[f"norm.{part}"] = tensor(f"embeddings.LayerNorm.{part}")
        for number in range(layers):
            at = f"encoder.layer.{number}"
            joined = torch.cat([tensor(f"{at}.attention.self.{each}.{part}") for each in ("query", "key", "value")], -1)
            state[f"layers.{number}.qkv.{part}"] = joined.T if part == "weight" else joined
            for own, theirs in names.items():
                values = tensor(f"{at}.{theirs}.{part}")
                state[f"layers.{number}.{own}.{part}"] = values.T if values.dim() == 2 else values
    return state


class PairReader:
    """Tokenizes pairs: [CLS] question [SEP] context : statement [SEP]."""

    def __init__(self, vocabulary=ENCODER / "vocab.txt"):
        self.tokenizer = BertWordPieceTokenizer(str(vocabulary), lowercase=True)

    def tokens(self, texts):
        return [each.ids for each in self.tokenizer.encode_batch(list(texts), add_special_tokens=False)]

    def pairs(self, question, statements, windows=False):
        """Returns (ids, length of the question part) of statements (context, text): for one window or for all."""
        texts = [question] + [text for pair in statements for text in pair]
        asked, *rest = self.tokens(texts)
        head = [CLS, *asked[:QUESTION_MAX], SEP]
        found = []
        for context, text in zip(rest[::2], rest[1::2]):
            lead = head + ([*context[:CONTEXT_MAX], COLON] if context else [])
            room = TOKENS_MAX - len(lead) - 1
            starts = range(0, max(1, len(text) - WINDOW_OVERLAP), room - WINDOW_OVERLAP) if windows else [0]
            found.append([([*lead, *text[start : start + room], SEP], len(head)) for start in starts])
        return found if windows else [each[0] for each in found]

    def claims(self, rows):
        """Returns the ids of (claim, evidence), like those of a question and a statement. A claim may be longer."""
        ids = self.tokens(text for row in rows for text in row)
        found = []
        for claim, evidence in zip(ids[::2], ids[1::2]):
            head = [CLS, *claim[: TOKENS_MAX // 2 - 2], SEP]
            found.append(([*head, *evidence[: TOKENS_MAX - len(head) - 1], SEP], len(head)))
        return found


def batch(pairs, multiple=8):
    """Returns ids, mask and segment types of pairs, padded to the longest (rounded up to a multiple)."""
    length = -(-max(len(ids) for ids, _ in pairs) // multiple) * multiple
    shape = len(pairs), length
    ids, mask, types = np.zeros(shape, np.int64), np.zeros(shape, np.float32), np.zeros(shape, np.int64)
    for row, (each, head) in enumerate(pairs):
        ids[row, : len(each)], mask[row, : len(each)], types[row, head : len(each)] = each, 1, 1
    return torch.from_numpy(ids), torch.from_numpy(mask), torch.from_numpy(types)


def scores(model, reader, question, statements, device="cpu", at_once=64):
    """Returns the logit of each statement. A statement in several windows gets the logit of its best window."""
    windows = reader.pairs(question, statements, windows=True)
    flat = [(pair, number) for number, each in enumerate(windows) for pair in each]
    flat.sort(key=lambda item: len(item[0][0]))
    found = np.full(len(statements), -np.inf, np.float32)
    with torch.no_grad():
        for start in range(0, len(flat), at_once):
            part = flat[start : start + at_once]
            logits = model(*(each.to(device) for each in batch([pair for pair, _ in part]))).float().cpu().numpy()
            for (_, number), logit in zip(part, logits):
                found[number] = max(found[number], logit)
    return found
