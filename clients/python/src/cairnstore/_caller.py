"""Transport of the generated methods: sends requests, retries them, and reads replies."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Generic, TypeVar, cast

import httpx
from pydantic import TypeAdapter, ValidationError

from ._answer_stream import AnswerDelta, events_in, unanswered
from ._errors import ApiError, CairnError, UnansweredError, UnexpectedReplyError, error_body, failure_of
from ._keys import encryption_token
from ._request import OMITTED, CallOptions, Patience, Request, Row, data_key_of, request_of
from ._settings import Found

P = TypeVar("P")
I = TypeVar("I")
T = TypeVar("T")

NO_OPTIONS = CallOptions()
OK = 200


class Paged(Generic[P, I]):
    """A paginated list. Iterating over it yields every row and requests the pages on demand."""

    def __init__(self, ask: Callable[[dict[str, str]], P], rows: str) -> None:
        self._ask = ask
        self._rows = rows

    def page(self) -> P:
        """Returns the first page."""
        return self._ask({})

    def pages(self) -> Iterator[P]:
        """Yields the list page by page."""
        cursor: dict[str, str] | None = {}
        while cursor is not None:
            page = self._ask(cursor)
            yield page
            cursor = next_of(page, cursor)

    def __iter__(self) -> Iterator[I]:
        for page in self.pages():
            yield from getattr(page, self._rows)


def next_of(page: Any, cursor: dict[str, str]) -> dict[str, str] | None:
    """Returns the query parameters of the next page."""
    following, has_more = page.next_cursor, getattr(page, "has_more", None)
    if following is None or has_more is False:
        return None
    # A cursor that does not advance would be an infinite loop.
    if following in cursor.values():
        raise CairnError("The service returned the same page of this list twice.")
    # A list that can be followed continues with `since`, which stays valid at its end.
    return {"cursor": following} if has_more is None else {"since": following}


class AnswerStream(Generic[T]):
    """A streamed answer.

    Iterating over it yields each part as it arrives. ``result()`` reads to the end and returns the whole reply.
    """

    def __init__(self, events: Generator[tuple[str, str], None, None], shape: Any) -> None:
        self._events = events
        self._shape = shape
        self._result: T | None = None
        self._is_left = False

    def __iter__(self) -> Iterator[AnswerDelta]:
        self._is_left = self._result is None
        try:
            for event, data in self._events:
                if event == "brief":
                    yield AnswerDelta(**json.loads(data))
                elif event == "result":
                    self._result = read(self._shape, data)
                    self._is_left = False
                    return
                else:
                    raise_streamed_error(event, data)
        finally:
            # Closing the request lets the service stop too.
            self._events.close()
        if self._result is None:
            raise UnansweredError("The stream ended early.", True)

    def result(self) -> T:
        """Returns the whole reply; raises ``UnansweredError`` if iteration was stopped before the end."""
        if self._is_left:
            raise UnansweredError("Iteration stopped before the end of the stream.", True)
        for _ in self:
            pass
        assert self._result is not None
        return self._result


def raise_streamed_error(event: str, data: str) -> None:
    """Raises an error that was reported within a stream."""
    body = error_body(data) if event == "error" else None
    if body is not None:
        raise ApiError(OK, body)


def read(shape: Any, text: str | bytes, status: int = OK) -> Any:
    """Parses a reply as its type; raises ``UnexpectedReplyError`` if it has another shape."""
    try:
        return adapter_of(shape).validate_json(text)
    except ValidationError as error:
        raise UnexpectedReplyError(status) from error


@lru_cache(maxsize=None)
def adapter_of(shape: Any) -> TypeAdapter[Any]:
    """Returns the validator of a type, cached because building it takes longer than validating."""
    return TypeAdapter(shape)


def reply_of(shape: Any, reply: httpx.Response) -> Any:
    """Parses a whole reply, whose type may depend on its status."""
    if shape is str:
        return reply.text
    if shape is bytes:
        return reply.content
    by_status = cast("dict[int, Any]", shape if isinstance(shape, dict) else {0: shape})
    wanted = by_status.get(reply.status_code, by_status[0])
    if wanted is None or not reply.content:
        return None
    return read(wanted, reply.content, reply.status_code)


class Headers:
    """Settings and headers shared by both clients."""

    def __init__(self, found: Found, encrypts_key: bool) -> None:
        self._found = found
        self._seals_key = encrypts_key

    def _with_headers(self, row: Row, request: Request, accept: str) -> Request:
        bearer = None if row.is_open else self._bearer()
        headers = {"accept": accept}
        if bearer:
            headers["authorization"] = f"Bearer {bearer}"
        if request.body is not None:
            headers["content-type"] = request.body.type
        if row.is_content:
            headers.update(self._encryption(bearer))
        request.headers = {**headers, **request.headers}
        return request

    def _bearer(self) -> str:
        given = self._found.api_key
        key = given() if callable(given) else given
        if key and key.isascii() and key.isprintable() and " " not in key:
            return key
        raise CairnError("This needs a key. Pass `api_key`, set CAIRN_API_KEY, or run `cairn init`.")

    def _encryption(self, bearer: str | None) -> dict[str, str]:
        if self._found.encryption_key is None:
            return {}
        key = data_key_of(self._found.encryption_key)
        if self._seals_key and bearer:
            return {"x-encryption-token": encryption_token(key, bearer)}
        return {"x-encryption-key": base64.b64encode(key).decode()}


class Caller(Headers):
    """Sends requests and retries those that may be repeated."""

    def __init__(
        self,
        found: Found,
        http: httpx.Client,
        *,
        timeout: float,
        retries: int,
        wait_seconds_max: float,
        encrypts_key: bool,
        on_wait: Callable[[float, CairnError], None] | None,
    ) -> None:
        super().__init__(found, encrypts_key)
        self._http = http
        self._timeout = timeout
        self._retries = retries
        self._wait_seconds_max = wait_seconds_max
        self._on_wait = on_wait

    def _sandbox_id(self) -> str:
        raise NotImplementedError

    def _call(self, row: Row, asked: Mapping[str, Any], shape: Any, options: CallOptions | None) -> Any:
        wanted = options or NO_OPTIONS
        request = self._request(row, asked, wanted, "*/*" if row.is_text else "application/json")

        def whole() -> Any:
            with self._open(request, wanted) as reply:
                try:
                    reply.read()
                except httpx.HTTPError as error:
                    raise unanswered(error, self._found.url) from error
            return reply_of(shape, reply)

        return self._patiently(request, wanted, whole)

    def _paged(self, row: Row, asked: Mapping[str, Any], shape: Any, options: CallOptions | None) -> Paged[Any, Any]:
        assert row.rows is not None
        return Paged(lambda cursor: self._call(row, {**asked, **cursor}, shape, options), row.rows)

    def _lines(self, row: Row, asked: Mapping[str, Any], options: CallOptions | None) -> Iterator[dict[str, Any]]:
        for line in self._text_lines(row, asked, options, "application/x-ndjson"):
            if line:
                yield json.loads(line)

    def _stream(
        self, row: Row, asked: Mapping[str, Any], shape: Any, options: CallOptions | None
    ) -> AnswerStream[Any]:
        return AnswerStream(events_in(self._text_lines(row, asked, options, "text/event-stream")), shape)

    def _text_lines(
        self, row: Row, asked: Mapping[str, Any], options: CallOptions | None, accept: str
    ) -> Generator[str, None, None]:
        wanted = options or NO_OPTIONS
        request = self._request(row, asked, wanted, accept)

        def opened() -> Any:
            manager = self._open(request, wanted)
            return manager, manager.__enter__()

        manager, reply = self._patiently(request, wanted, opened)
        try:
            yield from reply.iter_lines()
        except httpx.HTTPError as error:
            raise unanswered(error, self._found.url) from error
        finally:
            manager.__exit__(None, None, None)

    def _patiently(self, request: Request, options: CallOptions, attempt: Callable[[], T]) -> T:
        retries = self._retries if options.retries is None else options.retries
        patience = Patience(retries, self._wait_seconds_max)
        while True:
            try:
                return attempt()
            except CairnError as failure:
                seconds = patience.seconds_before(request, failure)
                if seconds is None:
                    raise
                if self._on_wait:
                    self._on_wait(seconds, failure)
                time.sleep(seconds)

    @contextmanager
    def _open(self, request: Request, options: CallOptions) -> Generator[httpx.Response, None, None]:
        body = request.body.open() if request.body else None
        timeout = options.timeout or self._timeout
        try:
            sent = self._http.build_request(
                request.verb,
                f"{self._found.url}{request.path}",
                params=request.query or None,
                headers=request.headers,
                content=body,
                timeout=timeout,
            )
            reply = self._http.send(sent, stream=True)
        except httpx.HTTPError as error:
            raise unanswered(error, self._found.url) from error
        try:
            if options.on_reply:
                options.on_reply(reply)
            if not reply.is_success:
                reply.read()
                raise failure_of(reply.status_code, reply.text, reply.headers)
            yield reply
        except httpx.HTTPError as error:
            raise unanswered(error, self._found.url) from error
        finally:
            reply.close()

    def _request(self, row: Row, asked: Mapping[str, Any], options: CallOptions, accept: str) -> Request:
        filled = dict(asked)
        if row.is_inside and filled.get("sandbox_id", OMITTED) is OMITTED:
            filled["sandbox_id"] = self._sandbox_id()
        return self._with_headers(row, request_of(row, filled, options), accept)
