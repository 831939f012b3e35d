"""Request bodies: unchanged content, and values as lines."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, Union, cast

T = TypeVar("T")

# Content that is sent unchanged. Files by path are sent as ``multipart/form-data``. An iterable can be read only once,
# so it cannot be sent again after a failure. A function that opens it can be called again.
Files = Mapping[str, Union[str, bytes, Path]]
Content = Union[str, bytes, Path, Files, Iterable[bytes], Callable[[], Iterable[bytes]]]
AsyncContent = Union[Content, AsyncIterable[bytes], Callable[[], AsyncIterable[bytes]]]
Several = Union[Sequence[T], Iterable[T], Callable[[], Iterable[T]]]
AsyncSeveral = Union[Several[T], AsyncIterable[T], Callable[[], AsyncIterable[T]]]

CHUNK_BYTES = 64 * 1024


@dataclass
class Body:
    """A serialized request body."""

    type: str
    open: Callable[[], Any]
    """Returns bytes, or a new iterable or asynchronous iterable of them for each attempt."""
    can_repeat: bool
    is_lines: bool = False


def content_body(content: Any, type_: str | None) -> Body:
    """Makes a body of unchanged content, or a form of files by path."""
    if isinstance(content, Mapping):
        boundary = secrets.token_hex(16)
        files = cast("Files", content)
        return Body(f"multipart/form-data; boundary={boundary}", lambda: _form(files, boundary), True)
    kind = type_ or "application/octet-stream"
    if isinstance(content, str):
        data = content.encode()
        return Body(kind, lambda: data, True)
    if isinstance(content, (bytes, bytearray)):
        return Body(kind, lambda: bytes(content), True)
    if isinstance(content, Path):
        return Body(kind, lambda: _chunks(content), True)
    if callable(content):
        return Body(kind, content, True)
    return Body(kind, lambda: content, False)


def lines_body(values: Any, to_json: Callable[[Any], str]) -> Body:
    """Serializes values as NDJSON. A list is sent as a whole; an iterable is streamed."""
    kind = "application/x-ndjson"

    def line(value: Any) -> bytes:
        return f"{to_json(value)}\n".encode()

    if hasattr(values, "__getitem__"):
        data = b"".join(line(value) for value in values)
        return Body(kind, lambda: data, True, True)
    opened = values if callable(values) else lambda: values

    def lines() -> Any:
        opened_values: Any = opened()
        if hasattr(opened_values, "__aiter__"):
            return _lines_later(opened_values, line)
        return (line(value) for value in opened_values)

    return Body(kind, lines, callable(values), True)


async def _lines_later(values: AsyncIterable[Any], line: Callable[[Any], bytes]) -> Any:
    async for value in values:
        yield line(value)


def _form(files: Files, boundary: str) -> Iterator[bytes]:
    for path, content in files.items():
        # Escape characters that a header cannot contain, as browsers do.
        name = path.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        yield (
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        ).encode()
        if isinstance(content, Path):
            yield from _chunks(content)
        else:
            yield content.encode() if isinstance(content, str) else content
        yield b"\r\n"
    yield f"--{boundary}--\r\n".encode()


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
