"""The conformance list in Python, for the client named by the first argument: ``sync`` or ``async``.

Prints a JSON line for each item: its id, and the reason if it failed.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import secrets
import sys
import tempfile
import time
import traceback
import urllib.request
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import cairnstore
from cairnstore import AsyncCairn, Cairn, CallOptions

PROXY = os.environ["CONFORMANCE_PROXY"]
IS_ASYNC = sys.argv[1] == "async"
SLOW_SECONDS = 20

Case = Callable[[], Any]
CASES: dict[str, Case] = {}


def case(run: Case) -> Case:
    """Registers a case under its name."""
    CASES[run.__name__] = run
    return run


def opened(**options: Any) -> Any:
    """Returns a client that uses the fault proxy."""
    return AsyncCairn(url=PROXY, **options) if IS_ASYNC else Cairn(url=PROXY, **options)


async def done(result: Any) -> Any:
    """Returns the result of a method of either client."""
    return await result if inspect.isawaitable(result) else result


async def each(several: Any) -> AsyncIterator[Any]:
    """Yields the items of an iterable of either client."""
    if hasattr(several, "__aiter__"):
        async for one in several:
            yield one
    else:
        for one in several:
            yield one


async def failure_of(call: Callable[[], Any]) -> Any:
    """Returns the error of a call; fails if it succeeds."""
    try:
        await done(call())
    except Exception as error:
        return error
    raise AssertionError("The call succeeded.")


def set_faults(*faults: Any) -> None:
    """Sets the faults of the next requests."""
    body = json.dumps(faults).encode()
    urllib.request.urlopen(urllib.request.Request(f"{PROXY}/__faults", body, method="PUT")).read()


def seen() -> list[dict[str, Any]]:
    """Returns the requests since the faults were set."""
    with urllib.request.urlopen(f"{PROXY}/__seen") as reply:
        return json.loads(reply.read())


def notes(count: int) -> list[dict[str, Any]]:
    """Returns distinct records."""
    return [
        {"external_id": f"n{at}", "type": "note", "title": f"Note {at}", "text": f"Pump {at} stopped at noon."}
        for at in range(count)
    ]


class World:
    """Sandbox, source and client of one run."""

    sandbox: Any
    source_id: str
    here: Any


async def make_world() -> None:
    client = opened()
    World.sandbox = await done(client.create_sandbox(name=f"Conformance {uuid.uuid4()}"))
    World.here = opened(sandbox=World.sandbox.sandbox_id)
    source = await done(World.here.create_source(provider="notes", name="Notes"))
    World.source_id = source.data_source_id


WAIT = CallOptions(wait_seconds=30)


@case
async def common() -> None:
    client = opened(sandbox=World.sandbox.sandbox_id)
    job = await done(client.add("Priya Raman moved the launch to 3 June."))
    answer = await done(client.ask("When is the launch?"))
    assert job.status == "completed"
    assert "3 June" in answer.answer and answer.citations


@case
async def add_path() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pumps.md").write_text("# Pumps\n\nPump 7 stopped because its filter was full of sand.\n")
        (folder / "filters.md").write_text("# Filters\n\nFilters are changed every two weeks.\n")
        assert (await done(World.here.add(folder))).result.written == 2
        (folder / "filters.md").write_text("# Filters\n\nFilters are changed every week.\n")
        result = (await done(World.here.add(folder))).result
        assert (result.written, result.unchanged) == (1, 1)


@case
async def add_files() -> None:
    files = {"valves/Ventil é 3.txt": "Valve 3 leaks at its seal.", "seals.csv": b"Valve,Seal\n3,rubber\n4,felt\n"}

    async def sent() -> Any:
        options = CallOptions(wait_seconds=30)
        return (await done(World.here.import_knowledge(content=files, source_name="Form", options=options))).result

    first = await sent()
    assert [each.path for each in first.files] == list(files)
    again = await sent()
    assert (again.written, again.unchanged) == (0, first.written)


@case
async def add_messages() -> None:
    messages = [{"role": "user", "name": "Ada Berg", "content": "The ferry leaves at six."}]
    assert (await done(World.here.add(messages, session_id="s1"))).result.written == 1
    assert (await done(World.here.add(messages, session_id="s1"))).result.unchanged == 1


@case
async def auth() -> None:
    error = await failure_of(lambda: opened(api_key="cairn_none").get_profile())
    assert isinstance(error, cairnstore.UnauthorizedError) and error.code == "unauthorized"


@case
async def forbidden() -> None:
    error = await failure_of(lambda: World.here.search(query="What?", preset="max"))
    assert isinstance(error, cairnstore.ForbiddenError) and error.reason == "preset_reserved"


@case
async def not_found() -> None:
    error = await failure_of(lambda: World.here.get_record(record_id="rec_none"))
    assert isinstance(error, cairnstore.NotFoundError)


@case
async def invalid() -> None:
    error = await failure_of(lambda: World.here.search(query=""))
    assert isinstance(error, cairnstore.InvalidError) and error.errors[0]["loc"] == ["body", "query"]


@case
async def conflict() -> None:
    error = await failure_of(lambda: World.here.create_sandbox(name=World.sandbox.name))
    assert isinstance(error, cairnstore.ConflictError) and error.reason == "duplicate_name"


@case
async def error_parts() -> None:
    request_ids: list[str] = []
    options = CallOptions(on_reply=lambda reply: request_ids.append(reply.headers["x-request-id"]))
    error = await failure_of(lambda: World.here.search(query="What?", preset="max", options=options))
    assert isinstance(error, cairnstore.ApiError)
    assert (error.status, error.code, error.reason) == (403, "forbidden", "preset_reserved")
    assert error.detail and error.detail in str(error)
    assert [error.request_id] == request_ids


@case
async def version() -> None:
    tags: list[str] = []
    options = CallOptions(on_reply=lambda reply: tags.append(reply.headers["etag"]))
    sandbox_id = World.sandbox.sandbox_id
    await done(World.here.get_sandbox(sandbox_id=sandbox_id, options=options))
    stale = CallOptions(if_match=tags[0])
    await done(World.here.update_sandbox(sandbox_id=sandbox_id, metadata={"at": 1}, options=stale))
    error = await failure_of(
        lambda: World.here.update_sandbox(sandbox_id=sandbox_id, metadata={"at": 2}, options=stale)
    )
    assert isinstance(error, cairnstore.ConflictError) and error.status == 412


@case
async def null_clears() -> None:
    made = await done(World.here.create_project(name=str(uuid.uuid4()), description="Something."))
    kept = await done(World.here.update_project(project_id=made.project_id, metadata={"a": 1}))
    cleared = await done(World.here.update_project(project_id=made.project_id, description=None))
    assert (kept.description, cleared.description) == ("Something.", None)


@case
async def retry_429() -> None:
    set_faults({"status": 429, "retry_after": "1"}, {"status": 429, "retry_after": "0"})
    started = time.monotonic()
    await done(World.here.get_profile())
    assert time.monotonic() - started >= 0.99
    assert len(seen()) == 3


@case
async def retry_503() -> None:
    set_faults({"status": 503, "retry_after": "0"}, {"status": 503})
    await done(World.here.create_project(name=str(uuid.uuid4())))
    keys = [each["headers"].get("idempotency-key") for each in seen()]
    assert len(keys) == 3 and keys[0] and len(set(keys)) == 1


@case
async def retry_lost() -> None:
    set_faults({"lose": True})
    name = str(uuid.uuid4())
    made = await done(World.here.create_project(name=name))
    assert len(seen()) == 2
    page = await done(World.here.list_projects().page())
    assert [each.project_id for each in page.projects if each.name == name] == [made.project_id]


@case
async def retry_cut() -> None:
    set_faults({"cut": True}, {"lose": True})
    await done(World.here.get_profile())
    assert len(seen()) == 3


@case
async def retry_unsafe() -> None:
    set_faults({"lose": True})
    error = await failure_of(lambda: World.here.split_entity(canonical_id="ent_none", keys=["email:a@example.com"]))
    assert isinstance(error, cairnstore.UnansweredError) and error.was_sent
    assert len(seen()) == 1


@case
async def retry_long() -> None:
    set_faults({"status": 429, "retry_after": "3600"})
    error = await failure_of(lambda: World.here.get_profile())
    assert isinstance(error, cairnstore.RateLimitedError) and error.retry_after_seconds == 3600


@case
async def pages() -> None:
    await done(World.here.put_records(source_id=World.source_id, records=notes(7), options=WAIT))
    listed = World.here.list_records(source_id=World.source_id, limit=2)
    ids = [row.record_id async for row in each(listed)]
    assert (len(ids), len(set(ids))) == (7, 7)
    assert len((await done(listed.page())).records) == 2


@case
async def lines_up() -> None:
    def later() -> Iterator[Any]:
        for note in notes(7):
            time.sleep(0.001)
            yield note

    async def later_still() -> AsyncIterator[Any]:
        for note in notes(7):
            await asyncio.sleep(0.001)
            yield note

    records = later_still() if IS_ASYNC else later()
    job = await done(World.here.put_records(source_id=World.source_id, records=records, options=WAIT))
    assert job.result.received == 7


@case
async def lines_down() -> None:
    lines = [line async for line in each(World.here.export_knowledge())]
    assert len([line for line in lines if "external_id" in line]) >= 7


@case
async def file_down() -> None:
    content = b"Gasket,Seal\n3,caf\xe9\n"
    files = {"gaskets.csv": content}
    await done(World.here.import_knowledge(content=files, source_name="Gaskets", options=CallOptions(wait_seconds=30)))
    found = [record async for record in each(World.here.list_records(type="gasket"))]
    assert await done(World.here.download_original(record_id=found[0].record_id)) == content


@case
async def streamed_search() -> None:
    stream = World.here.stream_ask("When is the launch?")
    text = ""
    async for part in each(stream):
        text = part.delta if part.restart else text + part.delta
    assert text
    assert (await done(stream.result())).answer.strip() == text.strip()


@case
async def streamed_interpret() -> None:
    found = await done(World.here.discover(query="When is the launch?", limit=2))
    items = [item.canonical_ids for item in found.items]
    stream = World.here.stream_interpret(query="When is the launch?", items=items)
    assert "3 June" in (await done(stream.result())).brief


@case
async def stop() -> None:
    if not IS_ASYNC:
        # A thread cannot be canceled; a stream is canceled by leaving the loop.
        for _ in World.here.stream_ask("When is the launch?"):
            break
        return
    set_faults({"silent": True})
    call = asyncio.ensure_future(World.here.get_profile())
    await asyncio.sleep(0.05)
    call.cancel()
    try:
        await call
    except asyncio.CancelledError:
        return
    raise AssertionError("It went on.")


@case
async def timeout() -> None:
    set_faults({"silent": True})
    error = await failure_of(lambda: World.here.get_profile(options=CallOptions(timeout=0.2, retries=0)))
    assert isinstance(error, cairnstore.TimeoutError)


@case
async def waits() -> None:
    job = await done(World.here.put_records(source_id=World.source_id, records=notes(1), options=WAIT))
    assert job.status == "completed" and isinstance(job, cairnstore.models.Job)


async def open_encrypted(encrypts_key: bool) -> None:
    key = secrets.token_bytes(32)
    made = await done(opened().create_sandbox(name=f"Encrypted {uuid.uuid4()}"))
    owner = opened(sandbox=made.sandbox_id, encryption_key=key, encrypts_key=encrypts_key)
    await done(owner.add("The safe stands in the cellar."))
    set_faults()
    await done(owner.get_sandbox(sandbox_id=made.sandbox_id))
    assert "cellar" in (await done(owner.ask("Where does the safe stand?"))).answer
    headers = [[name for name in each["headers"] if name.startswith("x-enc")] for each in seen()]
    assert headers == [[], ["x-encryption-token" if encrypts_key else "x-encryption-key"]]
    error = await failure_of(lambda: opened(sandbox=made.sandbox_id).ask("Where does the safe stand?"))
    assert isinstance(error, cairnstore.ForbiddenError) and error.code == "encryption_key_required"


@case
async def key_header() -> None:
    await open_encrypted(False)


@case
async def key_token() -> None:
    await open_encrypted(True)


@case
async def ids() -> None:
    given = ["9007199254740993", "a/b?c#d", "é ü 秘密", "../x"]
    records = [{"external_id": one, "type": "odd", "text": f"This is {one}."} for one in given]
    await done(World.here.put_records(source_id=World.source_id, records=records, options=WAIT))
    listed = [row.record_id async for row in each(World.here.list_records(type="odd"))]
    found = [await done(World.here.get_record(record_id=one)) for one in listed]
    assert sorted(one.external_id for one in found) == sorted(given)
    for one in given:
        error = await failure_of(lambda one=one: World.here.get_record(record_id=one))
        assert isinstance(error, cairnstore.NotFoundError)


@case
async def no_redirect() -> None:
    set_faults({"status": 307, "location": f"{PROXY}/api/v1/users/me/profile?elsewhere"})
    error = await failure_of(lambda: World.here.get_profile(options=CallOptions(retries=0)))
    assert len(seen()) == 1
    assert error.status == 307


@case
async def no_cairn() -> None:
    set_faults({"html": True})
    error = await failure_of(lambda: World.here.get_profile())
    assert isinstance(error, cairnstore.UnexpectedReplyError)


async def main() -> None:
    await make_world()
    for name, run in CASES.items():
        set_faults()
        outcome = {"id": name}
        try:
            await asyncio.wait_for(run(), SLOW_SECONDS)
        except Exception:
            outcome["failure"] = traceback.format_exc()
        print(json.dumps(outcome), flush=True)


asyncio.run(main())
