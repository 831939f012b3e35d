"""Measures one peer for peers.mjs: ingests records, answers questions and prints the figures as JSON.

Usage: peers.py embed|lancedb|lancedb-hybrid|chroma|mem0 FOLDER MODEL
FOLDER has records.jsonl {id, text} and questions.jsonl {text}. `embed` adds vectors.f32, one row per record. MODEL is
the folder of the bundled encoder.
"""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

import numpy as np
import onnxruntime
from tokenizers import BertWordPieceTokenizer

BATCH = 1_000
DEPTH = 10
WARM_UP = 20
CORES = 2
BACKGROUND_NICENESS = 10
MEM0_USER = "bench"
KIB = 1_024


class Encoder:
    """Runs the bundled model as the service does: a question on two cores, records on two threads with a core each."""

    def __init__(self, model: Path):
        card = json.loads((model / "config.json").read_text())
        self.dimensions = card["dimensions"]
        self._tokenizer = BertWordPieceTokenizer(str(model / "vocab.txt"), lowercase=True)
        self._tokenizer.enable_truncation(card["tokensMax"])
        self._model = str(model / "model.onnx")
        self._session = self._open(CORES)

    def _open(self, cores: int):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = cores
        options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        options.enable_mem_pattern = False
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return onnxruntime.InferenceSession(self._model, options, providers=["CPUExecutionProvider"])

    def _run(self, session, text: str):
        ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        return session.run(["vector"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]

    def encode(self, text: str):
        return self._run(self._session, text)

    def encode_all(self, texts):
        session = self._open(1)
        # The priority of the service's background threads, so that other load slows both equally.
        with ThreadPoolExecutor(CORES, initializer=os.nice, initargs=(BACKGROUND_NICENESS,)) as pool:
            return np.stack(list(pool.map(lambda text: self._run(session, text), texts)))


class LanceDb:
    """Searches vectors exactly: one table without an index."""

    def __init__(self, folder: Path, encoder: Encoder):
        import lancedb
        import pyarrow as pa

        vector = pa.list_(pa.float32(), encoder.dimensions)
        schema = pa.schema([("id", pa.string()), ("text", pa.string()), ("vector", vector)])
        self._table = lancedb.connect(folder / "store").create_table("records", schema=schema)
        self._encode = encoder.encode

    def add(self, ids, texts, vectors):
        rows = zip(ids, texts, vectors, strict=True)
        self._table.add([{"id": id, "text": text, "vector": vector} for id, text, vector in rows])

    def finish(self):
        pass

    def _query(self, text: str):
        return self._table.search(self._encode(text))

    def find(self, text: str):
        rows = self._query(text).select(["id"]).limit(DEPTH).to_list()
        return [row["id"] for row in rows]


class LanceDbHybrid(LanceDb):
    """Adds a text index and fuses words and vectors by reciprocal rank, LanceDB's default."""

    def finish(self):
        from lancedb.index import FTS

        self._table.create_index("text", config=FTS())

    def _query(self, text: str):
        return self._table.search(query_type="hybrid").vector(self._encode(text)).text(text)


class Chroma:
    """Searches Chroma's default HNSW index."""

    def __init__(self, folder: Path, encoder: Encoder):
        import chromadb

        class Function(chromadb.EmbeddingFunction):
            def __init__(self):
                pass

            def __call__(self, input):
                return [encoder.encode(text) for text in input]

        settings = chromadb.Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(str(folder / "store"), settings=settings)
        self._records = client.create_collection("records", embedding_function=Function())

    def add(self, ids, texts, vectors):
        self._records.add(ids=ids, documents=texts, embeddings=vectors)

    def finish(self):
        pass

    def find(self, text: str):
        return self._records.query(query_texts=[text], n_results=DEPTH, include=[])["ids"][0]


class Mem0:
    """Adds each record without a language model (`infer=False`), on mem0's Chroma store."""

    def __init__(self, folder: Path, encoder: Encoder):
        from mem0 import Memory
        from mem0.embeddings.base import EmbeddingBase

        class Embedder(EmbeddingBase):
            added = None

            def embed(self, text, memory_action=None):
                return (self.added if memory_action == "add" else encoder.encode(text)).tolist()

        unused = {"provider": "openai", "config": {"api_key": "unused"}}
        store = {"provider": "chroma", "config": {"collection_name": "records", "path": str(folder / "store")}}
        history = str(folder / "history.db")
        config = {"llm": unused, "embedder": unused, "vector_store": store, "history_db_path": history}
        self._memory = Memory.from_config(config)
        self._memory.embedding_model = self._embedder = Embedder()

    def add(self, ids, texts, vectors):
        for id, text, vector in zip(ids, texts, vectors, strict=True):
            self._embedder.added = vector
            self._memory.add(text, user_id=MEM0_USER, metadata={"key": id}, infer=False)

    def finish(self):
        pass

    def find(self, text: str):
        found = self._memory.search(text, filters={"user_id": MEM0_USER}, top_k=DEPTH)["results"]
        return [memory["metadata"]["key"] for memory in found]


PEERS = {"lancedb": LanceDb, "lancedb-hybrid": LanceDbHybrid, "chroma": Chroma, "mem0": Mem0}


def read(path: Path):
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def embed(folder: Path, encoder: Encoder):
    texts = [record["text"] for record in read(folder / "records.jsonl")]
    encoder.encode_all(texts[:WARM_UP])
    started = perf_counter()
    vectors = encoder.encode_all(texts)
    seconds = perf_counter() - started
    vectors.tofile(folder / "vectors.f32")
    return {"seconds": seconds}


def ingest(store, folder: Path, dimensions: int):
    """Adds the records in batches and returns the seconds until the last one is found."""
    seconds = 0.0
    records = read(folder / "records.jsonl")
    with (folder / "vectors.f32").open("rb") as file:
        while batch := [record for _, record in zip(range(BATCH), records)]:
            vectors = np.fromfile(file, dtype=np.float32, count=len(batch) * dimensions).reshape(-1, dimensions)
            ids, texts = [record["id"] for record in batch], [record["text"] for record in batch]
            started = perf_counter()
            store.add(ids, texts, vectors)
            seconds += perf_counter() - started
            last = batch[-1]
    started = perf_counter()
    store.finish()
    if last["id"] not in store.find(last["text"]):
        raise RuntimeError(f"{last['id']} is not found by its own text after the ingest.")
    return seconds + perf_counter() - started


def memory():
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    now, peak = (int(lines[name].split()[0]) * KIB for name in ("VmRSS", "VmHWM"))
    return {"now": now, "peak": peak}


def measure(name: str, folder: Path, encoder: Encoder):
    store = PEERS[name](folder, encoder)
    seconds = ingest(store, folder, encoder.dimensions)
    questions = [question["text"] for question in read(folder / "questions.jsonl")]
    for question in questions[:WARM_UP]:
        store.find(question)
    found, durations = [], []
    for question in questions:
        started = perf_counter()
        found.append(store.find(question))
        durations.append((perf_counter() - started) * 1_000)
    return {"seconds": seconds, "durations": durations, "found": found, "memory": memory()}


def main():
    name, folder, model = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    encoder = Encoder(model)
    figures = embed(folder, encoder) if name == "embed" else measure(name, folder, encoder)
    (folder / "figures.json").write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
