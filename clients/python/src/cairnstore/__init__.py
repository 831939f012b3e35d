"""Cairn from Python: ``Cairn().add(…)``, ``Cairn().ask(…)``, and every operation of the API."""

from ._async_caller import AsyncPaged, AsyncTold
from ._caller import Paged, Told
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
from ._told import Piece
from .generated import models, params

__all__ = [
    "Added",
    "ApiError",
    "AsyncCairn",
    "AsyncContent",
    "AsyncPaged",
    "AsyncSeveral",
    "AsyncTold",
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
    "Piece",
    "RateLimitedError",
    "Several",
    "TimeoutError",
    "Told",
    "UnansweredError",
    "UnauthorizedError",
    "UnavailableError",
    "UnexpectedReplyError",
    "derive_data_key",
    "encryption_token",
    "models",
    "params",
]
