"""Streamed answers (server-sent events)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, closing
from dataclasses import dataclass

import httpx

from ._errors import TimeoutError, UnansweredError


@dataclass(frozen=True)
class AnswerDelta:
    """A part of a streamed answer. With ``restart``, discard the parts before it."""

    delta: str
    restart: bool = False


class EventReader:
    """Assembles lines into events."""

    def __init__(self) -> None:
        self._event = ""
        self._data: list[str] = []

    def take(self, line: str) -> tuple[str, str] | None:
        """Adds a line and returns the event that it completes, if any."""
        name, _, value = line.partition(":")
        if name == "event":
            self._event = value.strip()
        elif name == "data":
            self._data.append(value.removeprefix(" "))
        elif line == "" and self._data:
            event = (self._event, "\n".join(self._data))
            self._event, self._data = "", []
            return event
        return None


def events_in(lines: Generator[str, None, None]) -> Generator[tuple[str, str], None, None]:
    """Yields the events of a body with their data. Closing the generator closes the lines."""
    reader = EventReader()
    with closing(lines):
        for line in lines:
            event = reader.take(line)
            if event:
                yield event


async def events_later(lines: AsyncGenerator[str, None]) -> AsyncGenerator[tuple[str, str], None]:
    """Yields the events asynchronously."""
    reader = EventReader()
    async with aclosing(lines):
        async for line in lines:
            event = reader.take(line)
            if event:
                yield event


def unanswered(error: httpx.HTTPError, url: str) -> UnansweredError:
    """Returns the error for a missing or incomplete reply."""
    was_sent = not isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol))
    if isinstance(error, httpx.TimeoutException):
        return TimeoutError(f"{url} gave no complete reply within the timeout.", was_sent)
    why = str(error) or type(error).__name__
    return UnansweredError(f"{url} gave no complete reply ({why}).", was_sent)
