"""Errors of the client."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast


# Maximum number of violated rules in the message of an error. Its ``errors`` has all of them.
RULES_SHOWN_MAX = 3


class CairnError(Exception):
    """Base class of the client's errors."""


class ApiError(CairnError):
    """An error reply of the service."""

    def __init__(self, status: int, body: Mapping[str, Any], retry_after_seconds: int | None = None) -> None:
        errors: list[dict[str, Any]] = list(body.get("errors") or [])
        rules = [f"{'.'.join(map(str, rule['loc']))}: {rule['msg']}" for rule in errors[:RULES_SHOWN_MAX]]
        super().__init__(f"{' '.join([body['detail'], *rules])} ({status} {body.get('reason') or body['error']})")
        self.status = status
        """HTTP status; 200 for an error within a streamed answer."""
        self.code: str = body["error"]
        """Error code from a closed list: ``not_found``, ``rate_limited`` …"""
        self.reason: str | None = body.get("reason")
        """More specific stable code, if there is one."""
        self.detail: str = body["detail"]
        """Sentence for people that says what to do."""
        self.request_id: str | None = body.get("request_id")
        """Id of the request in the service's log."""
        self.errors = errors
        """Violated rules."""
        self.retry_after_seconds = retry_after_seconds
        """Seconds to wait before the next request (Retry-After)."""
        self.body = dict(body)


class UnauthorizedError(ApiError):
    """401: the service does not accept the credential."""


class ForbiddenError(ApiError):
    """403: the caller lacks permission, a quota is exhausted, or a customer-managed key is missing."""


class NotFoundError(ApiError):
    """404: the resource does not exist or the caller has no access to it."""


class ConflictError(ApiError):
    """409 and 412: the request conflicts with the current state."""


class InvalidError(ApiError):
    """400 and 422: the request violates a rule; ``errors`` lists them."""


class RateLimitedError(ApiError):
    """429: still too many requests after the client's own waits."""


class UnavailableError(ApiError):
    """503: temporarily unavailable."""


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
    """The reply is missing or incomplete."""

    def __init__(self, message: str, was_sent: bool) -> None:
        super().__init__(message)
        self.was_sent = was_sent
        """True if the request may have reached the service and may have been carried out."""


class TimeoutError(UnansweredError):
    """No reply arrived within the caller's timeout."""


class UnexpectedReplyError(CairnError):
    """The reply is not from a Cairn service but from a proxy or another product."""

    def __init__(self, status: int, location: str | None = None, retry_after_seconds: int | None = None) -> None:
        sent_on = f" It redirects to {location}." if location else ""
        super().__init__(
            f"The reply ({status}) is not from a Cairn service. Check the address, and any proxy there.{sent_on}"
        )
        self.status = status
        self.location = location
        self.retry_after_seconds = retry_after_seconds


class FailedJobError(CairnError):
    """A job failed, completely or partly; ``job`` has its result."""

    def __init__(self, job: Any) -> None:
        super().__init__(job.error_message or f"The job {job.job_id} ended with the status {job.status}.")
        self.job = job


def failure_of(status: int, text: str, headers: Mapping[str, str]) -> CairnError:
    """Returns the error for a reply, from its status, text and headers."""
    retry_after = headers.get("retry-after")
    seconds = int(retry_after) if retry_after and re.fullmatch(r"\s*\d{1,9}\s*", retry_after) else None
    body = error_body(text)
    if body is None:
        return UnexpectedReplyError(status, headers.get("location"), seconds)
    return BY_STATUS.get(status, ApiError)(status, body, seconds)


def error_body(text: str) -> dict[str, Any] | None:
    """Parses an error body; returns ``None`` for any other text."""
    try:
        parsed = json.loads(text)
    except ValueError:
        return None
    body = cast("dict[str, Any]", parsed if isinstance(parsed, dict) else {})
    return body if isinstance(body.get("error"), str) and isinstance(body.get("detail"), str) else None
