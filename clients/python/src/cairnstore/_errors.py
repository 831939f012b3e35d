"""Everything that the client raises by itself."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast


# So many broken rules stand in the message of an error; all of them in its ``errors``.
RULES_SHOWN_MAX = 3


class CairnError(Exception):
    """Everything that the client raises by itself."""


class ApiError(CairnError):
    """The service was asked and said no."""

    def __init__(self, status: int, body: Mapping[str, Any], retry_after_seconds: int | None = None) -> None:
        errors: list[dict[str, Any]] = list(body.get("errors") or [])
        rules = [f"{'.'.join(map(str, rule['loc']))}: {rule['msg']}" for rule in errors[:RULES_SHOWN_MAX]]
        super().__init__(f"{' '.join([body['detail'], *rules])} ({status} {body.get('reason') or body['error']})")
        self.status = status
        """The HTTP status; 200 for what failed while an answer was streamed."""
        self.code: str = body["error"]
        """Which failure it is, of a closed list: ``not_found``, ``rate_limited`` …"""
        self.reason: str | None = body.get("reason")
        """A finer stable code, where there is one."""
        self.detail: str = body["detail"]
        """A sentence that a person can act on."""
        self.request_id: str | None = body.get("request_id")
        """Finds the request in the service's log."""
        self.errors = errors
        """The rules that were broken."""
        self.retry_after_seconds = retry_after_seconds
        """How long the service wants to be left alone."""
        self.body = dict(body)


class UnauthorizedError(ApiError):
    """401: the credential is none that the service takes."""


class ForbiddenError(ApiError):
    """403: the caller may not do this, a quota is used up, or a key of the caller's own is missing."""


class NotFoundError(ApiError):
    """404: there is nothing here that the caller can reach."""


class ConflictError(ApiError):
    """409 and 412: the request does not fit the present state."""


class InvalidError(ApiError):
    """400 and 422: the request breaks a rule; ``errors`` names them."""


class RateLimitedError(ApiError):
    """429: too many requests, also after the waits that the client makes."""


class UnavailableError(ApiError):
    """503: not available at the moment."""


BY_STATUS: dict[int, type[ApiError]] = {
    400: InvalidError,
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    412: ConflictError,
    422: InvalidError,
    429: RateLimitedError,
    503: UnavailableError,
}


class UnansweredError(CairnError):
    """No answer came, or not the whole of it."""

    def __init__(self, message: str, was_sent: bool) -> None:
        super().__init__(message)
        self.was_sent = was_sent
        """Whether the request may have reached the service, so that what it asks for may have been done."""


class TimeoutError(UnansweredError):
    """No answer came in the time that the caller gives."""


class UnexpectedReplyError(CairnError):
    """Something answered, but not as a Cairn service does: a proxy, or another product."""

    def __init__(self, status: int, location: str | None = None, retry_after_seconds: int | None = None) -> None:
        sent_on = f" It sends on to {location}." if location else ""
        super().__init__(
            f"What answered ({status}) is no Cairn service: check the address and what stands before it.{sent_on}"
        )
        self.status = status
        self.location = location
        self.retry_after_seconds = retry_after_seconds


class FailedJobError(CairnError):
    """The job did not end well; ``job`` tells how it ended."""

    def __init__(self, job: Any) -> None:
        super().__init__(job.error_message or f"The job {job.job_id} has {job.status}.")
        self.job = job


def failure_of(status: int, text: str, headers: Mapping[str, str]) -> CairnError:
    """The failure that a reply tells, from its status, its text and its headers."""
    told = headers.get("retry-after")
    seconds = int(told) if told and re.fullmatch(r"\s*\d{1,9}\s*", told) else None
    body = error_body(text)
    if body is None:
        return UnexpectedReplyError(status, headers.get("location"), seconds)
    return BY_STATUS.get(status, ApiError)(status, body, seconds)


def error_body(text: str) -> dict[str, Any] | None:
    """The body of an error; ``None`` for any other text."""
    try:
        told = json.loads(text)
    except ValueError:
        return None
    body = cast("dict[str, Any]", told if isinstance(told, dict) else {})
    return body if isinstance(body.get("error"), str) and isinstance(body.get("detail"), str) else None
