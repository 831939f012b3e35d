"""The client and its asynchronous variant."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Union

import httpx

from ._async_caller import AsyncAnswerStream
from ._caller import AnswerStream
from ._errors import ApiError, CairnError, FailedJobError
from ._files import BY_ITSELF, files_of, place_of, tar_of
from ._request import CallOptions
from ._settings import ApiKey, find_settings
from .generated.async_methods import AsyncMethods
from .generated.methods import Methods
from .generated.models import Accepted, Job, Sandbox, SearchAnswer
from .generated.params import SessionMessage

# Content that can be added: a text, a local file or folder, or messages of a conversation. A plain string is never
# read as a path, because it may be untrusted text.
Added = Union[str, Path, Sequence[SessionMessage]]

TIMEOUT_SECONDS = 300.0
RETRIES = 3
WAIT_SECONDS_MAX = 60.0
SANDBOX_NAME = "Notes"
SHOWN_MAX = 5
WAIT_FOR_JOB = CallOptions(wait_seconds=30)
FIRST_LOOK_SECONDS = 0.1
LOOK_SECONDS_MAX = 2.0


def _meant(sandboxes: Sequence[Any], name: str | None) -> str | None:
    """Returns the id of the selected sandbox, or ``None`` if there is none; raises ``CairnError`` for several."""
    named = [each for each in sandboxes if name is None or each.name == name]
    if len(named) == 1:
        return str(named[0].sandbox_id)
    if not named and name is None:
        return None
    if not named:
        some = f"has {_names(sandboxes)} Use one of these, or create it"
        there = some if sandboxes else "has no sandbox yet. Create it"
        quoted = json.dumps(name, ensure_ascii=False)
        raise CairnError(f"No sandbox is called {quoted}. This account {there} with create_sandbox(name={quoted}).")
    raise CairnError(f"Several sandboxes match. Pass the id of one as `sandbox`: {_names(named)}")


def _names(sandboxes: Sequence[Any]) -> str:
    named = [f"{each.sandbox_id} {json.dumps(each.name, ensure_ascii=False)}" for each in sandboxes[:SHOWN_MAX]]
    shown = ", ".join(named)
    return f"{shown}{' …' if len(sandboxes) > SHOWN_MAX else '.'}"


def _goes_on(job: Accepted | Job) -> bool:
    return job.status in ("queued", "processing")


def _ended(job: Accepted | Job) -> Job:
    if job.status != "completed" or not isinstance(job, Job):
        raise FailedJobError(job)
    return job


def _import_of(path: Path, about: dict[str, Any]) -> dict[str, Any]:
    root, files = files_of(path)
    if len(files) == 1 and BY_ITSELF.search(files[0].name):
        return {"content": files[0], "source_name": place_of(root), **about}
    return {
        "content": lambda: tar_of(root, files),
        "content_type": "application/x-tar",
        "source_name": place_of(root),
        **about,
    }


def _messages_of(messages: Any, about: dict[str, Any]) -> dict[str, Any]:
    if isinstance(messages, (bytes, bytearray, Mapping)) or not hasattr(messages, "__len__"):
        raise CairnError("`add` takes a text, a `pathlib.Path`, or messages in a list.")
    # A conversation without an id gets a random one; nothing can be added to it later.
    return {"session_id": str(uuid.uuid4()), "messages": list(messages), **about}


class Cairn(Methods):
    """Client of one service: every operation of the API, plus ``add`` and ``ask`` for the common cases.

    Defaults come from the environment (``CAIRN_URL``, ``CAIRN_API_KEY``, ``CAIRN_SANDBOX``,
    ``CAIRN_ENCRYPTION_KEY``) or the command line's profile, unless ``reads_environment`` is false. Raises
    ``CairnError`` for an invalid address and for a profile that does not exist.
    """

    def __init__(
        self,
        *,
        url: str | None = None,
        api_key: ApiKey | None = None,
        sandbox: str | None = None,
        profile: str | None = None,
        reads_environment: bool = True,
        encryption_key: str | bytes | None = None,
        encrypts_key: bool = False,
        timeout: float = TIMEOUT_SECONDS,
        retries: int = RETRIES,
        wait_seconds_max: float = WAIT_SECONDS_MAX,
        on_wait: Callable[[float, CairnError], None] | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        found = find_settings(url, api_key, sandbox, profile, encryption_key, reads_environment)
        super().__init__(
            found,
            http or httpx.Client(follow_redirects=False),
            timeout=timeout,
            retries=retries,
            wait_seconds_max=wait_seconds_max,
            encrypts_key=encrypts_key,
            on_wait=on_wait,
        )
        self.url = found.url
        self._sandbox: str | None = None

    def __enter__(self) -> Cairn:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the open connections."""
        self._http.close()

    def add(self, what: Added, **about: Any) -> Job:
        """Imports a text, a file or folder (``pathlib.Path``), or messages. Returns the job once it has ended.

        The content can then be queried. ``about`` are fields of the API that describe it: ``title``,
        ``occurred_at``, ``speaker``, ``session_id``, ``source_name``, ``project_id``, ``sandbox_id`` … Creates a
        sandbox if the account has none.
        """
        about.setdefault("sandbox_id", self._sandbox_id(makes_one=True))
        if isinstance(what, str):
            return self._when_ended(self.ingest(text=what, options=WAIT_FOR_JOB, **about), about["sandbox_id"])
        if isinstance(what, Path):
            sent = self.import_knowledge(options=WAIT_FOR_JOB, **_import_of(what, about))
            return self._when_ended(sent, about["sandbox_id"])
        sent = self.put_messages(options=WAIT_FOR_JOB, **_messages_of(what, about))
        return self._when_ended(sent, about["sandbox_id"])

    def ask(self, question: str, **parameters: Any) -> SearchAnswer:
        """Answers a question in one or two paragraphs. Every statement is supported by stored records."""
        return self.search(query=question, **parameters)

    def stream_ask(self, question: str, **parameters: Any) -> AnswerStream[SearchAnswer]:
        """Answers a question like ``ask``, but streams the answer."""
        return self.stream_search(query=question, **parameters)

    def create_sandbox(self, *, name: str, **given: Any) -> Sandbox:
        """Creates a sandbox. ``owner_id`` defaults to the account's own id."""
        if "owner_id" not in given:
            given["owner_id"] = self.get_profile().user_id
        return super().create_sandbox(name=name, **given)

    def _when_ended(self, job: Accepted | Job, sandbox_id: str) -> Job:
        seconds = FIRST_LOOK_SECONDS
        while _goes_on(job):
            time.sleep(seconds)
            seconds = min(LOOK_SECONDS_MAX, 2 * seconds)
            job = self.get_job(job_id=job.job_id, sandbox_id=sandbox_id)
        return _ended(job)

    def _sandbox_id(self, makes_one: bool = False) -> str:
        if self._sandbox is None:
            self._sandbox = self._find_sandbox(makes_one)
        return self._sandbox

    def _find_sandbox(self, makes_one: bool) -> str:
        name = self._found.sandbox
        if name and name.startswith("sbx_"):
            return name
        page = self.list_sandboxes().page() if name else self.list_sandboxes(status="active").page()
        found = _meant(page.sandboxes, name)
        if found is not None:
            return found
        if not makes_one:
            raise CairnError("There is no sandbox yet. `add` creates one.")
        try:
            return str(self.create_sandbox(name=SANDBOX_NAME).sandbox_id)
        except ApiError as error:
            # Another process of the same account created the sandbox first.
            if error.reason != "duplicate_name":
                raise
            return self._find_sandbox(False)


class AsyncCairn(AsyncMethods):
    """Asynchronous variant of ``Cairn`` for ``asyncio``."""

    def __init__(
        self,
        *,
        url: str | None = None,
        api_key: ApiKey | None = None,
        sandbox: str | None = None,
        profile: str | None = None,
        reads_environment: bool = True,
        encryption_key: str | bytes | None = None,
        encrypts_key: bool = False,
        timeout: float = TIMEOUT_SECONDS,
        retries: int = RETRIES,
        wait_seconds_max: float = WAIT_SECONDS_MAX,
        on_wait: Callable[[float, CairnError], None] | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        found = find_settings(url, api_key, sandbox, profile, encryption_key, reads_environment)
        super().__init__(
            found,
            http or httpx.AsyncClient(follow_redirects=False),
            timeout=timeout,
            retries=retries,
            wait_seconds_max=wait_seconds_max,
            encrypts_key=encrypts_key,
            on_wait=on_wait,
        )
        self.url = found.url
        self._sandbox: str | None = None

    async def __aenter__(self) -> AsyncCairn:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the open connections."""
        await self._http.aclose()

    async def add(self, what: Added, **about: Any) -> Job:
        """Imports a text, a file or folder (``pathlib.Path``), or messages. Returns the job once it has ended."""
        if "sandbox_id" not in about:
            about["sandbox_id"] = await self._sandbox_id(makes_one=True)
        sent: Accepted | Job
        if isinstance(what, str):
            sent = await self.ingest(text=what, options=WAIT_FOR_JOB, **about)
        elif isinstance(what, Path):
            sent = await self.import_knowledge(options=WAIT_FOR_JOB, **_import_of(what, about))
        else:
            sent = await self.put_messages(options=WAIT_FOR_JOB, **_messages_of(what, about))
        return await self._when_ended(sent, about["sandbox_id"])

    async def ask(self, question: str, **parameters: Any) -> SearchAnswer:
        """Answers a question in one or two paragraphs. Every statement is supported by stored records."""
        return await self.search(query=question, **parameters)

    def stream_ask(self, question: str, **parameters: Any) -> AsyncAnswerStream[SearchAnswer]:
        """Answers a question like ``ask``, but streams the answer."""
        return self.stream_search(query=question, **parameters)

    async def create_sandbox(self, *, name: str, **given: Any) -> Sandbox:
        """Creates a sandbox. ``owner_id`` defaults to the account's own id."""
        if "owner_id" not in given:
            given["owner_id"] = (await self.get_profile()).user_id
        return await super().create_sandbox(name=name, **given)

    async def _when_ended(self, job: Accepted | Job, sandbox_id: str) -> Job:
        seconds = FIRST_LOOK_SECONDS
        while _goes_on(job):
            await asyncio.sleep(seconds)
            seconds = min(LOOK_SECONDS_MAX, 2 * seconds)
            job = await self.get_job(job_id=job.job_id, sandbox_id=sandbox_id)
        return _ended(job)

    async def _sandbox_id(self, makes_one: bool = False) -> str:
        if self._sandbox is None:
            self._sandbox = await self._find_sandbox(makes_one)
        return self._sandbox

    async def _find_sandbox(self, makes_one: bool) -> str:
        name = self._found.sandbox
        if name and name.startswith("sbx_"):
            return name
        listed = self.list_sandboxes() if name else self.list_sandboxes(status="active")
        found = _meant((await listed.page()).sandboxes, name)
        if found is not None:
            return found
        if not makes_one:
            raise CairnError("There is no sandbox yet. `add` creates one.")
        try:
            return str((await self.create_sandbox(name=SANDBOX_NAME)).sandbox_id)
        except ApiError as error:
            # Another process of the same account created the sandbox first.
            if error.reason != "duplicate_name":
                raise
            return await self._find_sandbox(False)
