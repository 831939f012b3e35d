# Made by `npm run clients` of the contract. A test compares it.
"""What the service is asked, as dictionaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal

from typing_extensions import Required, TypedDict


class Basis(TypedDict, total=False):
    phase: Literal["source", "text", "guessed"] | None
    owner: Literal["source", "text", "guessed"] | None
    due: Literal["source", "text", "guessed"] | None
    kind: Literal["source", "text", "guessed"] | None


class ChatMessage(TypedDict, total=False):
    content: Required[str]
    role: Required[Literal["user", "assistant", "system"]]


class DeclaredEntity(TypedDict, total=False):
    type: Required[str]
    """Its kind, for example `person` or `issue`."""
    name: Required[str]
    """Its name."""
    aliases: Sequence[str] | None
    email: str | None
    """Its e-mail address, for short: kept, and shown, as the `email` of its identifiers."""
    identifiers: Mapping[str, Sequence[str] | str] | None
    """What names it for certain: `email`, `login`, `url`, `key` and others."""
    properties: Mapping[str, Any] | None
    """Whatever else is known of it."""


class DeclaredRelationSubject(TypedDict, total=False):
    type: str
    """Its kind, for example `person` or `issue`."""
    name: Required[str]
    """Its name."""
    aliases: Sequence[str] | None
    email: str | None
    """Its e-mail address, for short: kept, and shown, as the `email` of its identifiers."""
    identifiers: Mapping[str, Sequence[str] | str] | None
    """What names it for certain: `email`, `login`, `url`, `key` and others."""
    properties: Mapping[str, Any] | None
    """Whatever else is known of it."""


class DeclaredRelationObject(TypedDict, total=False):
    type: str
    """Its kind, for example `person` or `issue`."""
    name: Required[str]
    """Its name."""
    aliases: Sequence[str] | None
    email: str | None
    """Its e-mail address, for short: kept, and shown, as the `email` of its identifiers."""
    identifiers: Mapping[str, Sequence[str] | str] | None
    """What names it for certain: `email`, `login`, `url`, `key` and others."""
    properties: Mapping[str, Any] | None
    """Whatever else is known of it."""


class DeclaredRelation(TypedDict, total=False):
    subject: Required[str | DeclaredRelationSubject]
    """The one entity."""
    predicate: Required[str]
    """What holds between them, for example `works_for`."""
    object: Required[str | DeclaredRelationObject]
    """The other entity, or a plain value such as a date."""
    valid_from: str | datetime | date | None
    """Since when it holds."""
    valid_to: str | datetime | date | None
    """Until when it held."""


class EvaluationQuestion(TypedDict, total=False):
    question: Required[str]
    """The current question."""
    expected: str | None
    """The expected answer. `|` separates alternatives of which one is enough."""
    record: str | None
    """The ids of the records that should be cited, separated by spaces."""
    unanswerable: bool | None
    """True if the sandbox does not hold the answer."""


class EvaluationSettings(TypedDict, total=False):
    project_id: str | None
    """Only what is in this project; the whole sandbox when omitted."""
    preset: str | None
    """The search preset. `max` is reserved (403). The name of a model (`vendor/name`, `name:variant`), as other services take one here, counts as `auto`, with a `Warning`. `auto` when omitted."""
    reference_date: str | None
    """The reference for relative dates such as `today`: a day, or a moment with its UTC offset. Default: the current day."""
    time_zone: str | None
    """The time zone in which days begin and end: an IANA name or a UTC offset. Default: the offset of `reference_date`, else UTC."""
    detail_level: Literal["concise", "detailed"] | None
    """Length of the answers."""
    writer: bool | None
    """Lets the configured language model write. Without one it does nothing. `true` when omitted."""
    judge: bool | None
    """Lets the configured language model grade the answers that do not match the expected one. 409 if no model is configured, and in a sandbox under a caller’s key. `false` when omitted."""


class GivenAccess(TypedDict, total=False):
    """Another access key to the sandbox’s own bucket, checked like the first one."""
    access_key_id: Required[str]
    """The access key’s id. Sealed, and in no reply."""
    secret_access_key: Required[str]
    """The access key’s secret. Sealed, and in no reply."""


class GivenStorage(TypedDict, total=False):
    """A bucket of your own for everything that the sandbox knows; the platform’s storage when omitted."""
    provider_type: Required[Literal["custom_s3"]]
    bucket: Required[str]
    """The bucket’s name, as S3 has them."""
    region: Required[str]
    """Its region; whatever the store calls it when it is not AWS."""
    endpoint: str | None
    """Where an S3-compatible store answers, https; AWS in the region when omitted."""
    prefix: str | None
    """What all keys begin with; each sandbox has a folder of its own below it."""
    access_key_id: Required[str]
    """The access key’s id. Sealed, and in no reply."""
    secret_access_key: Required[str]
    """The access key’s secret. Sealed, and in no reply."""


class Grantee(TypedDict, total=False):
    """In place of `user_id`: a member or a group of your account, or the address of an invitation. A grant to an address waits until somebody joins with it."""
    member_id: str | None
    """A member."""
    group_id: str | None
    """A group: everybody who belongs to it at the time."""
    email: str | None
    """An e-mail address."""


class IngestToolCall(TypedDict, total=False):
    tool: Required[str]
    """The exact name of a tool."""
    arguments: Mapping[str, Any]
    """What the tool is given."""
    map: Mapping[str, Any]
    """How records are made of the result, as in the mapping of any JSON; by the names of its fields when omitted."""


class RecordInputAuthor(TypedDict, total=False):
    type: str
    """Its kind, for example `person` or `issue`."""
    name: Required[str]
    """Its name."""
    aliases: Sequence[str] | None
    email: str | None
    """Its e-mail address, for short: kept, and shown, as the `email` of its identifiers."""
    identifiers: Mapping[str, Sequence[str] | str] | None
    """What names it for certain: `email`, `login`, `url`, `key` and others."""
    properties: Mapping[str, Any] | None
    """Whatever else is known of it."""


class RecordInputParticipants(TypedDict, total=False):
    type: str
    """Its kind, for example `person` or `issue`."""
    name: Required[str]
    """Its name."""
    aliases: Sequence[str] | None
    email: str | None
    """Its e-mail address, for short: kept, and shown, as the `email` of its identifiers."""
    identifiers: Mapping[str, Sequence[str] | str] | None
    """What names it for certain: `email`, `login`, `url`, `key` and others."""
    properties: Mapping[str, Any] | None
    """Whatever else is known of it."""


class RecordInputOwner(TypedDict, total=False):
    type: str
    """Its kind, for example `person` or `issue`."""
    name: Required[str]
    """Its name."""
    aliases: Sequence[str] | None
    email: str | None
    """Its e-mail address, for short: kept, and shown, as the `email` of its identifiers."""
    identifiers: Mapping[str, Sequence[str] | str] | None
    """What names it for certain: `email`, `login`, `url`, `key` and others."""
    properties: Mapping[str, Any] | None
    """Whatever else is known of it."""


class RecordInputLocators(TypedDict, total=False):
    start: Required[int]
    """A UTF-16 code unit of `text`."""
    locator: Required[str]
    """Where that is in the document: `p. 12`, `slide 4`, `Sheet1!A5:F9`, `00:12:31`."""


class RecordInput(TypedDict, total=False):
    external_id: Required[str]
    """The record’s id at its source."""
    type: Required[str]
    """Its kind, for example `message`, `issue` or `document`."""
    title: str | None
    text: str | None
    url: str | None
    occurred_at: str | datetime | date | None
    """When it happened; a date alone is that day, 00:00 UTC."""
    author: str | RecordInputAuthor | None
    """Who made it: a name, or a person, for example `{"name": …, "email": …}`."""
    participants: Sequence[str | RecordInputParticipants] | None
    entities: Sequence[DeclaredEntity] | None
    relations: Sequence[DeclaredRelation] | None
    properties: Mapping[str, Any] | None
    """Typed fields of the record."""
    phase: Literal["open", "doing", "done", "dropped"] | None
    """How far the work has come, by the category of its tool."""
    owner: str | RecordInputOwner | None
    """Who answers for it: a name, or a person with identifiers."""
    due: str | datetime | date | None
    """Until when it is to be done."""
    kind: str | None
    """What it is to people, in a word: bug, decision, invoice."""
    locators: Sequence[RecordInputLocators] | None
    """By `start`, each after the one before; each holds up to the next."""
    basis: Basis | None
    project_id: str | None
    """The project it belongs to, in place of those of its source."""
    deleted: bool | None
    """Removes the record of this external_id."""


class SessionMessage(TypedDict, total=False):
    role: Required[Literal["user", "assistant", "system", "tool"]]
    content: Required[str | None]
    """What was said; one that is blank only takes its place."""
    name: str | None
    """Who said it; where it is omitted, a message of role `user` is said by the person whose sandbox it is."""
    created_at: str | datetime | date | None
    """When it was said; when it first came in, where it is omitted."""
    id: str | None
    """Your id of it, unique in the session: another content under it replaces the message."""
