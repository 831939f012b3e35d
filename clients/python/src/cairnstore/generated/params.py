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
    """Short form of the `email` in `identifiers`, where it is stored and shown."""
    identifiers: Mapping[str, Sequence[str] | str] | None
    """Unique identifiers: `email`, `login`, `url`, `key` and others."""
    properties: Mapping[str, Any] | None
    """Other properties."""


class DeclaredRelationSubject(TypedDict, total=False):
    type: str
    """Its kind, for example `person` or `issue`."""
    name: Required[str]
    """Its name."""
    aliases: Sequence[str] | None
    email: str | None
    """Short form of the `email` in `identifiers`, where it is stored and shown."""
    identifiers: Mapping[str, Sequence[str] | str] | None
    """Unique identifiers: `email`, `login`, `url`, `key` and others."""
    properties: Mapping[str, Any] | None
    """Other properties."""


class DeclaredRelationObject(TypedDict, total=False):
    type: str
    """Its kind, for example `person` or `issue`."""
    name: Required[str]
    """Its name."""
    aliases: Sequence[str] | None
    email: str | None
    """Short form of the `email` in `identifiers`, where it is stored and shown."""
    identifiers: Mapping[str, Sequence[str] | str] | None
    """Unique identifiers: `email`, `login`, `url`, `key` and others."""
    properties: Mapping[str, Any] | None
    """Other properties."""


class DeclaredRelation(TypedDict, total=False):
    subject: Required[str | DeclaredRelationSubject]
    """The subject: an entity."""
    predicate: Required[str]
    """The relation, for example `works_for`."""
    object: Required[str | DeclaredRelationObject]
    """The object: another entity or a plain value such as a date."""
    valid_from: str | datetime | date | None
    """Start of validity."""
    valid_to: str | datetime | date | None
    """End of validity."""


class EvaluationQuestion(TypedDict, total=False):
    question: Required[str]
    """The current question."""
    expected: str | None
    """The expected answer. `|` separates alternatives; one of them is enough."""
    record: str | None
    """The ids of the records that should be cited, separated by spaces."""
    unanswerable: bool | None
    """True if the sandbox does not contain the answer."""


class EvaluationSettings(TypedDict, total=False):
    project_id: str | None
    """Only records of this project. Default: the whole sandbox."""
    preset: str | None
    """The search preset. `max` is reserved (403). The name of a model (`vendor/name`, `name:variant`), as other services take one here, counts as `auto`, with a `Warning`. `auto` if omitted."""
    reference_date: str | None
    """The reference for relative dates such as `today`: a day, or a moment with its UTC offset. Default: the current day."""
    time_zone: str | None
    """The time zone in which days begin and end: an IANA name or a UTC offset. Default: the offset of `reference_date`, else UTC."""
    detail_level: Literal["concise", "detailed"] | None
    """Length of the answers."""
    writer: bool | None
    """Lets the configured language model write. Without one it does nothing. `true` if omitted."""
    judge: bool | None
    """Lets the configured language model grade the answers that do not match the expected one. 409 if no model is configured, and in a sandbox with a customer-managed key. `false` if omitted."""


class GivenAccess(TypedDict, total=False):
    """A new access key for the sandbox’s own bucket. It is tested like the first one."""
    access_key_id: Required[str]
    """The access key’s id. It is encrypted and never returned."""
    secret_access_key: Required[str]
    """The access key’s secret. It is encrypted and never returned."""


class GivenStorage(TypedDict, total=False):
    """Your own bucket for the sandbox’s data. Default: the storage of the service."""
    provider_type: Required[Literal["custom_s3"]]
    bucket: Required[str]
    """The bucket’s name, by the rules of S3."""
    region: Required[str]
    """Its region, as named by the object store."""
    endpoint: str | None
    """Where an S3-compatible store answers, https; AWS in the region when omitted."""
    prefix: str | None
    """The prefix of all object keys. Each sandbox has its own folder below it."""
    access_key_id: Required[str]
    """The access key’s id. It is encrypted and never returned."""
    secret_access_key: Required[str]
    """The access key’s secret. It is encrypted and never returned."""


class Grantee(TypedDict, total=False):
    """Instead of `user_id`: a member or a group of your account, or an e-mail address to invite. A grant to an address takes effect when someone joins with it."""
    member_id: str | None
    """A member."""
    group_id: str | None
    """A group: all its current members."""
    email: str | None
    """An e-mail address."""


class IngestToolCall(TypedDict, total=False):
    tool: Required[str]
    """The exact name of a tool."""
    arguments: Mapping[str, Any]
    """The arguments of the tool."""
    map: Mapping[str, Any]
    """The mapping of the result to records, as for generic JSON. Default: by field names."""
    complete: bool
    """true: the result lists everything, so a record that is missing in two results in a row is deleted. false: nothing is deleted. Default: true only for a tool without arguments, while nothing new appears in its result."""


class RecordInputAuthor(TypedDict, total=False):
    type: str
    """Its kind, for example `person` or `issue`."""
    name: Required[str]
    """Its name."""
    aliases: Sequence[str] | None
    email: str | None
    """Short form of the `email` in `identifiers`, where it is stored and shown."""
    identifiers: Mapping[str, Sequence[str] | str] | None
    """Unique identifiers: `email`, `login`, `url`, `key` and others."""
    properties: Mapping[str, Any] | None
    """Other properties."""


class RecordInputParticipants(TypedDict, total=False):
    type: str
    """Its kind, for example `person` or `issue`."""
    name: Required[str]
    """Its name."""
    aliases: Sequence[str] | None
    email: str | None
    """Short form of the `email` in `identifiers`, where it is stored and shown."""
    identifiers: Mapping[str, Sequence[str] | str] | None
    """Unique identifiers: `email`, `login`, `url`, `key` and others."""
    properties: Mapping[str, Any] | None
    """Other properties."""


class RecordInputOwner(TypedDict, total=False):
    type: str
    """Its kind, for example `person` or `issue`."""
    name: Required[str]
    """Its name."""
    aliases: Sequence[str] | None
    email: str | None
    """Short form of the `email` in `identifiers`, where it is stored and shown."""
    identifiers: Mapping[str, Sequence[str] | str] | None
    """Unique identifiers: `email`, `login`, `url`, `key` and others."""
    properties: Mapping[str, Any] | None
    """Other properties."""


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
    """The author: a name, or a person, for example `{"name": …, "email": …}`."""
    participants: Sequence[str | RecordInputParticipants] | None
    entities: Sequence[DeclaredEntity] | None
    relations: Sequence[DeclaredRelation] | None
    properties: Mapping[str, Any] | None
    """Typed fields of the record."""
    phase: Literal["open", "doing", "done", "dropped"] | None
    """The state of the work, as a category of its tool."""
    owner: str | RecordInputOwner | None
    """The person responsible: a name, or a person with identifiers."""
    due: str | datetime | date | None
    """The due date."""
    kind: str | None
    """The type of the content, in one word: bug, decision, invoice."""
    locators: Sequence[RecordInputLocators] | None
    """Sorted by `start`, without overlaps; each applies up to the next."""
    basis: Basis | None
    project_id: str | None
    """The project of the record, instead of its source’s projects."""
    deleted: bool | None
    """True removes the record with this external_id."""


class SessionMessage(TypedDict, total=False):
    role: Required[Literal["user", "assistant", "system", "tool"]]
    content: Required[str | None]
    """The text. A blank message only occupies its position."""
    name: str | None
    """The author. Default for the role `user`: the owner of the sandbox."""
    created_at: str | datetime | date | None
    """The time of the message. Default: when it was first received."""
    id: str | None
    """Your id of the message, unique in the session. Other content with the same id replaces the message."""
