"""Transport of the generated asynchronous methods: sends requests, retries them, and reads replies."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Generic, TypeVar, cast

import httpx

from ._answer_stream import AnswerDelta, events_later, unanswered
from ._caller import NO_OPTIONS, Headers, next_of, raise_streamed_error, read, reply_of
from ._errors import CairnError, UnansweredError, failure_of
from ._request import OMITTED, CallOptions, Patience, Request, Row, request_of
from ._settings import Found

P = TypeVar("P")
I = TypeVar("I")
T = TypeVar("T")


class AsyncPaged(Generic[P, I]):
    """A paginated list. Iterating over it yields every row and requests the pages on demand."""

    def __init__(self, ask: Callable[[dict[str, str]], Awaitable[P]], rows: str) -> None:
        self._ask = ask
        self._rows = rows

    async def page(self) -> P:
        """Returns the first page."""
        return await self._ask({})

    async def pages(self) -> AsyncIterator[P]:
        """Yields the list page by page."""
        cursor: dict[str, str] | None = {}
        while cursor is not None:
            page = await self._ask(cursor)
            yield page
            cursor = next_of(page, cursor)

    async def __aiter__(self) -> AsyncIterator[I]:
        async for page in self.pages():
            for row in getattr(page, self._rows):
                yield row


class AsyncAnswerStream(Generic[T]):
    """A streamed answer.

    Iterating over it yields each part as it arrives. ``result()`` reads to the end and returns the whole reply.
    """

    def __init__(self, events: AsyncGenerator[tuple[str, str], None], shape: Any) -> None:
        self._events = events
        self._shape = shape
        self._result: T | None = None
        self._is_left = False

    async def __aiter__(self) -> AsyncIterator[AnswerDelta]:
        self._is_left = self._result is None
        try:
            async for event, data in self._events:
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
            await self._events.aclose()
        if self._result is None:
            raise UnansweredError("The stream ended early.", True)

    async def result(self) -> T:
        """Returns the whole reply; raises ``UnansweredError`` if iteration was stopped before the end."""
        if self._is_left:
            raise UnansweredError("Iteration stopped before the end of the stream.", True)
        async for _ in self:
            pass
        assert self._result is not None
        return self._result


class AsyncCaller(Headers):
    """Sends requests and retries those that may be repeated."""

    def __init__(
        self,
        found: Found,
        http: httpx.AsyncClient,
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

    async def _sandbox_id(self) -> str:
        raise NotImplementedError

    async def _call(self, row: Row, asked: Mapping[str, Any], shape: Any, options: CallOptions | None) -> Any:
        wanted = options or NO_OPTIONS
        request = await self._request(row, asked, wanted, "*/*" if row.is_text else "application/json")

        async def whole() -> Any:
            async with self._open(request, wanted) as reply:
                try:
                    await reply.aread()
                except httpx.HTTPError as error:
                    raise unanswered(error, self._found.url) from error
            return reply_of(shape, reply)

        return await self._patiently(request, wanted, whole)

    def _paged(self, row: Row, asked: Mapping[str, Any], shape: Any, options: CallOptions | None) -> AsyncPaged[Any, Any]:
        assert row.rows is not None
        return AsyncPaged(lambda cursor: self._call(row, {**asked, **cursor}, shape, options), row.rows)

    async def _lines(
        self, row: Row, asked: Mapping[str, Any], options: CallOptions | None
    ) -> AsyncIterator[dict[str, Any]]:
        async for line in self._text_lines(row, asked, options, "application/x-ndjson"):
            if line:
                yield json.loads(line)

    def _stream(
        self, row: Row, asked: Mapping[str, Any], shape: Any, options: CallOptions | None
    ) -> AsyncAnswerStream[Any]:
        return AsyncAnswerStream(events_later(self._text_lines(row, asked, options, "text/event-stream")), shape)

    async def _text_lines(
        self, row: Row, asked: Mapping[str, Any], options: CallOptions | None, accept: str
    ) -> AsyncGenerator[str, None]:
        wanted = options or NO_OPTIONS
        request = await self._request(row, asked, wanted, accept)

        async def opened() -> Any:
            manager = self._open(request, wanted)
            return manager, await manager.__aenter__()

        manager, reply = await self._patiently(request, wanted, opened)
        try:
            async for line in reply.aiter_lines():
                yield line
        except httpx.HTTPError as error:
            raise unanswered(error, self._found.url) from error
        finally:
            await manager.__aexit__(None, None, None)

    async def _patiently(self, request: Request, options: CallOptions, attempt: Callable[[], Awaitable[T]]) -> T:
        retries = self._retries if options.retries is None else options.retries
        patience = Patience(retries, self._wait_seconds_max)
        while True:
            try:
                return await attempt()
            except CairnError as failure:
                seconds = patience.seconds_before(request, failure)
                if seconds is None:
                    raise
                if self._on_wait:
                    self._on_wait(seconds, failure)
                await asyncio.sleep(seconds)

    @asynccontextmanager
    async def _open(self, request: Request, options: CallOptions) -> AsyncGenerator[httpx.Response, None]:
        body = request.body.open() if request.body else None
        timeout = options.timeout or self._timeout
        try:
            sent = self._http.build_request(
                request.verb,
                f"{self._found.url}{request.path}",
                params=request.query or None,
                headers=request.headers,
                content=_as_async(body, in_thread=request.body is not None and not request.body.is_lines),
                timeout=timeout,
            )
            reply = await self._http.send(sent, stream=True)
        except httpx.HTTPError as error:
            raise unanswered(error, self._found.url) from error
        try:
            if options.on_reply:
                options.on_reply(reply)
            if not reply.is_success:
                await reply.aread()
                raise failure_of(reply.status_code, reply.text, reply.headers)
            yield reply
        except httpx.HTTPError as error:
            raise unanswered(error, self._found.url) from error
        finally:
            await reply.aclose()

    async def _request(self, row: Row, asked: Mapping[str, Any], options: CallOptions, accept: str) -> Request:
        filled = dict(asked)
        if row.is_inside and filled.get("sandbox_id", OMITTED) is OMITTED:
            filled["sandbox_id"] = await self._sandbox_id()
        return self._with_headers(row, request_of(row, filled, options), accept)


def _as_async(body: Any, in_thread: bool) -> Any:
    """Returns a body in a form that an asynchronous client accepts."""
    if body is None or isinstance(body, bytes) or not isinstance(body, Iterable):
        return body
    return _later(iter(cast("Iterable[bytes]", body)), in_thread)


async def _later(parts: Iterator[bytes], in_thread: bool) -> AsyncIterator[bytes]:
    """Yields parts as they arrive. Files are read in a thread, so that they do not block the event loop."""
    while True:
        part = await asyncio.to_thread(next, parts, None) if in_thread else next(parts, None)
        if part is None:
            return
        yield part
