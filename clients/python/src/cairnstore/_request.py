"""Builds requests; shared by both clients."""

from __future__ import annotations

import base64
import json
import random
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timezone
from enum import Enum
from typing import Any, Final, Literal
from urllib.parse import quote

import httpx

from ._content import Body, content_body, lines_body
from ._errors import ApiError, CairnError, UnansweredError, UnexpectedReplyError

Retry = Literal["safe", "keyed", "ask"]


class Omitted(Enum):
    """Marks an omitted value, because ``None`` clears a field."""

    OMITTED = "omitted"


OMITTED: Final = Omitted.OMITTED


@dataclass(frozen=True)
class Row:
    """Describes the request of an operation."""

    verb: str
    path: str
    retry: Retry
    is_open: bool = False
    """True if it needs no key."""
    is_content: bool = False
    """True if a customer-managed key of the sandbox is sent with it."""
    is_inside: bool = False
    """True if the client's own sandbox is the default."""
    body: Literal["json", "content"] | None = None
    query: tuple[str, ...] = ()
    """Names of query parameters if there is also a body."""
    rows: str | None = None
    """Field of a page that holds its rows."""
    lines: str | None = None
    """Field that is sent as lines."""
    is_text: bool = False


@dataclass(frozen=True)
class CallOptions:
    """Options of one call."""

    timeout: float | None = None
    """Timeout of each attempt in seconds: until the reply starts, and between the chunks of a stream."""
    retries: int | None = None
    """Number of retries after a transient failure."""
    idempotency_key: str | None = None
    """Replaces the generated idempotency key."""
    if_match: str | None = None
    """Expected version (``If-Match``): the ``etag`` of an earlier reply."""
    wait_seconds: int | None = None
    """Waits up to this many seconds, at most 60, for the import, and replies with the finished job."""
    wait_for_reading: bool = False
    """Also waits, within ``wait_seconds``, until the content is embedded and semantic search finds it."""
    headers: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())
    on_reply: Callable[[httpx.Response], None] | None = None
    """Called with the reply's status and headers: ``etag``, ``warning``, ``ratelimit-remaining`` …"""


@dataclass
class Request:
    """A request that can be sent more than once."""

    verb: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Body | None
    retry: Retry


def request_of(row: Row, asked: Mapping[str, Any], options: CallOptions) -> Request:
    """Builds the request of an operation; raises ``CairnError`` for values that would address a different resource."""
    left = {name: value for name, value in asked.items() if value is not OMITTED}
    parts: list[str] = []
    for part in row.path.split("/"):
        parts.append(_segment(part[1:], left.pop(part[1:], None)) if part.startswith(":") else part)
    names = list(row.query) if row.body else list(left)
    given = {name: left.pop(name, None) for name in names}
    query = {name: _text(value) for name, value in given.items() if value is not None}
    headers: dict[str, str] = {}
    if row.retry == "keyed":
        headers["idempotency-key"] = options.idempotency_key or secrets.token_hex(16)
    if options.if_match:
        headers["if-match"] = options.if_match
    if options.wait_seconds is not None:
        headers["prefer"] = f"wait={options.wait_seconds}" + (", reading" if options.wait_for_reading else "")
    headers.update({name.lower(): value for name, value in options.headers.items()})
    return Request(row.verb, "/".join(parts), query, headers, _body_of(row, left), row.retry)


def _segment(name: str, value: Any) -> str:
    """Encodes a value as a path segment. Rejects an empty value and dots, which would change the path."""
    text = "" if value is None else str(value)
    if text in ("", ".", ".."):
        raise CairnError(f"`{name}` must not be empty or consist of dots.")
    return quote(text, safe="")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return to_wire(value) if isinstance(value, date) else str(value)


def _body_of(row: Row, left: dict[str, Any]) -> Body | None:
    if row.body is None:
        return None
    if row.body == "content":
        return content_body(left["content"], left.get("content_type"))
    if row.lines:
        return lines_body(left[row.lines], to_json)
    text = to_json(left).encode()
    return Body("application/json", lambda: text, True)


def to_json(value: Any) -> str:
    """Serializes a value as JSON, with times in the service's format."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=to_wire)


def to_wire(value: Any) -> Any:
    """Converts values without a JSON form to the service's format."""
    if isinstance(value, datetime):
        moment = value if value.tzinfo else value.replace(tzinfo=timezone.utc)
        return moment.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    raise TypeError(f"{type(value).__name__} cannot be serialized as JSON.")


DATA_KEY_BYTES = 32


def data_key_of(key: str | bytes) -> bytes:
    """Returns a data key as bytes, from bytes or base64; raises ``CairnError`` if it is invalid."""
    try:
        data = base64.b64decode(key, validate=True) if isinstance(key, str) else key
    except ValueError:
        data = b""
    if len(data) != DATA_KEY_BYTES:
        raise CairnError("A customer-managed key must be 32 bytes, or these in base64.")
    return data


WAITS_MAX = 10
BACKOFF_SECONDS = 0.25
BACKOFF_SECONDS_MAX = 8.0
CONFLICT, TOO_MANY = 409, 429
FOR_NOW = (502, 503, 504)


@dataclass
class Patience:
    """Retry state of one call: remaining attempts and backoff."""

    retries: int
    wait_seconds_max: float
    waits: int = WAITS_MAX
    backoff_seconds: float = BACKOFF_SECONDS

    def __post_init__(self) -> None:
        if self.retries == 0:
            self.waits = 0

    def seconds_before(self, request: Request, failure: CairnError) -> float | None:
        """Returns the seconds to wait before a retry, or ``None`` if there is none."""
        if not may_repeat(request, failure):
            return None
        seconds: int | None = getattr(failure, "retry_after_seconds", None)
        if seconds is not None:
            self.waits -= 1
            return None if self.waits < 0 or seconds > self.wait_seconds_max else float(seconds)
        self.retries -= 1
        if self.retries < 0:
            return None
        backoff = self.backoff_seconds
        self.backoff_seconds = min(BACKOFF_SECONDS_MAX, 2 * backoff)
        # Jitter: callers that failed together do not retry together.
        return backoff * (1 + random.random()) / 2


def may_repeat(request: Request, failure: CairnError) -> bool:
    """Returns whether a request may be retried: it had no effect, or repeating it is idempotent."""
    if request.body is not None and not request.body.can_repeat:
        return False
    if isinstance(failure, UnansweredError):
        return request.retry != "ask" or not failure.was_sent
    if not isinstance(failure, (ApiError, UnexpectedReplyError)):
        return False
    if failure.status == TOO_MANY:
        return True
    if failure.status == CONFLICT:
        return isinstance(failure, ApiError) and failure.reason == "idempotency_key_in_use"
    return request.retry != "ask" and failure.status in FOR_NOW
