"""Cairn from Python: ``Cairn().add(…)``, ``Cairn().ask(…)``, and every operation of the API."""

from ._answer_stream import AnswerDelta
from ._async_caller import AsyncAnswerStream, AsyncPaged
from ._caller import AnswerStream, Paged
from ._client import Added, AsyncCairn, Cairn
from ._content import AsyncContent, AsyncSeveral, Content, Several
from ._errors import (
    ApiError,
    CairnError,
    ConflictError,
    FailedJobError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    RateLimitedError,
    TimeoutError,
    UnansweredError,
    UnauthorizedError,
    UnavailableError,
    UnexpectedReplyError,
)
from ._keys import derive_data_key, encryption_token
from ._request import CallOptions
from .generated import models, params

__all__ = [
    "Added",
    "AnswerDelta",
    "AnswerStream",
    "ApiError",
    "AsyncAnswerStream",
    "AsyncCairn",
    "AsyncContent",
    "AsyncPaged",
    "AsyncSeveral",
    "Cairn",
    "CairnError",
    "CallOptions",
    "ConflictError",
    "Content",
    "FailedJobError",
    "ForbiddenError",
    "InvalidError",
    "NotFoundError",
    "Paged",
    "RateLimitedError",
    "Several",
    "TimeoutError",
    "UnansweredError",
    "UnauthorizedError",
    "UnavailableError",
    "UnexpectedReplyError",
    "derive_data_key",
    "encryption_token",
    "models",
    "params",
]
