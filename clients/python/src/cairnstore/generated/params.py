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
