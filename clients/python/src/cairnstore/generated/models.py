# Made by `npm run clients` of the contract. A test compares it.
"""What the service replies. Fields that a newer service adds are kept."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Model(BaseModel):
    model_config = ConfigDict(extra="allow", populate_by_name=True, protected_namespaces=())


class Accepted(Model):
    job_id: str
    """The job that ingests it."""
    status: Literal["queued"] | str
    encrypted: bool
    sandbox_id: str
    """The sandbox that stores it."""
    project_id: str | None
    """Its project, if one was given."""
    status_url: str
    """The address of the job’s state."""


class Account(Model):
    user_id: str
    """The account’s id."""
    display_name: str
    """Its display name."""
    status: Literal["active", "suspended"] | str
    created_at: datetime
    """When it was created."""


class AccountLimits(Model):
    max_sandboxes: int | None
    """Number of sandboxes of the tier, including archived ones; null is unlimited."""
    account_ingest_records_per_minute: int | None
    """Records accepted per minute, in all sandboxes of the tier; null is unlimited."""
    account_queries_per_minute: int | None
    """Queries answered per minute, in all sandboxes of the tier; null is unlimited."""
    account_reads_per_minute: int | None
    """Reads of entities, records and exports per minute, in all sandboxes of the tier; null is unlimited."""


class AccountPage(Model):
    accounts: list[Account]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class AccountUsageModel(Model):
    """Usage of the language model; all zero if none is configured."""
    input_tokens: int
    output_tokens: int
    cost_usd: float


class AccountUsageModelBudget(Model):
    tokens_per_day: int
    used_today: int
    """Input and output tokens of calls of type `write` today."""
    left_today: int
    resets_at: datetime
    """When the next day begins, UTC."""


class AccountUsageSummary(Model):
    """Total usage of all models."""
    total_prompt_tokens: int
    total_completion_tokens: int
    total_tokens: int
    total_cost_usd: float
    total_calls: int


class AccountUsageLimits(Model):
    """The limits that all your sandboxes of a tier share. Each sandbox also has its own `limits`."""
    free: AccountLimits
    pro: AccountLimits
    enterprise: AccountLimits


class AccountUsage(Model):
    user_id: str
    """The platform account."""
    from_: str = Field(alias="from")
    """The first day counted, UTC."""
    to: str
    """The last day counted, UTC."""
    queries: int
    """Queries answered."""
    ingested_records: int
    """Records accepted."""
    model: AccountUsageModel
    """Usage of the language model; all zero if none is configured."""
    model_budget: AccountUsageModelBudget | None
    """Daily language model tokens of each account (`CAIRN_MODEL_DAILY_TOKENS`); null if there is no such limit. When they are used up, answers are quoted passages, with a warning."""
    summary: AccountUsageSummary
    """Total usage of all models."""
    by_model: list[ModelUsage]
    """The same by model, highest cost first."""
    by_call_type: list[CallTypeUsage]
    """The same by type of call."""
    limits: AccountUsageLimits
    """The limits that all your sandboxes of a tier share. Each sandbox also has its own `limits`."""


class AnswerPage(Model):
    answers: list[AnswerSummary]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class AnswerStatement(Model):
    text: str
    record_ids: list[str]
    """The records that support it."""
    computed: str | None = None
    """The computation, with its fields or records."""
    spans: list[TextSpan] | None = None
    """Its spans in the texts; empty if it is computed from fields."""


class AnswerSummary(Model):
    answer_id: str
    """The `answer_id` of the reply."""
    query: str
    """The question."""
    outcome: Literal["answered", "closest", "nothing"] | str
    project_id: str | None
    """The project that was asked; null for the whole sandbox."""
    shared: bool
    """True if members of the account can read it."""
    created_at: datetime
    """When it was given."""
    expires_at: datetime
    """When it is deleted, unless a record that it cites is deleted earlier."""


class ApiKey(Model):
    id: str
    """The key’s id, which revokes it."""
    name: str
    key_prefix: str
    """The first characters of the key, to recognize it."""
    expires_at: datetime | None = None
    """When it expires."""
    created_at: datetime
    """When it was created."""
    member_id: str | None = None
    """The member that the key acts as; null for a key of the account."""
    last_used_at: datetime | None = None
    """When it last authenticated a request."""
    use_count: int
    """Number of requests that it has authenticated."""
    is_expired: bool


class AuditEvent(Model):
    seq: int
    """Its number in the log, from 1 without gaps."""
    at: datetime
    """When it happened."""
    event: str
    """The event, such as `source.created`."""
    actor_user_id: str | None
    """The acting account or member; null for the operator."""
    credential_id: str | None
    """The credential used: the id of a key or session, `jwt_…` for a token, `admin_key`, or null for the service."""
    subject_id: str | None
    """The id of the changed object."""
    request_id: str | None
    """The id of the request."""
    previous_hash: str
    """The hash of the previous event in hexadecimal; zeros for the first."""
    hash: str
    """SHA-256 of the event’s fields and of `previous_hash`, in hexadecimal."""


class AuditPage(Model):
    events: list[AuditEvent]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class Basis(Model):
    phase: Literal["source", "text", "guessed"] | str | None = None
    owner: Literal["source", "text", "guessed"] | str | None = None
    due: Literal["source", "text", "guessed"] | str | None = None
    kind: Literal["source", "text", "guessed"] | str | None = None


class CallTypeUsage(Model):
    call_type: str
    """`write`, `rerank`, `embed`, `vision` or `transcribe`; `unknown` for calls that were counted without a type."""
    prompt_tokens: int
    """Input tokens."""
    completion_tokens: int
    """Output tokens."""
    total_tokens: int
    cost_usd: float
    """In US dollars, at the configured prices."""
    calls: int


class Change(Model):
    change: Literal["added", "changed", "removed", "merged"] | str
    """`merged`: the entity became part of `into`."""
    kind: Literal["record", "entity"] | str
    id: str
    """Id of the record or entity."""
    into: str | None = None
    """The entity that a merged one became."""
    type: str | None = None
    """Its kind, if still known."""
    title: str | None = None
    """The current title of the record or name of the entity."""
    url: str | None = None
    """Where the record is at its source."""
    occurred_at: datetime | None = None
    """When the content of the record happened."""
    source_id: str | None = None
    """The source of the record."""
    changed_at: datetime
    """The time of the commit."""


class ChangePage(Model):
    changes: list[Change]
    count: int
    """Changes in this reply."""
    next_cursor: str
    """Send it as `since` to continue, now or later."""
    has_more: bool
    """True if there are more changes already."""


class ConnectionGrantee(Model):
    member_id: str | None = None
    group_id: str | None = None
    email: str | None = None


class Connection(Model):
    connection_id: str
    """The connection’s id."""
    sandbox_id: str
    """The sandbox that is shared."""
    user_id: str | None
    """The account or member that it is shared with; null for a group or an invited address."""
    grantee: ConnectionGrantee | None = None
    """The member, group or invited address that it is shared with; null for an account."""
    role: Literal["viewer", "editor"] | str
    project_id: str | None = None
    """The one project it is limited to; null for the whole sandbox."""
    label: str | None = None
    """A label of your choice."""
    expires_at: datetime | None = None
    """When it expires."""
    revoked_at: datetime | None = None
    """When it was revoked."""
    created_by: str
    """The account that created it."""
    created_at: datetime
    """When it was created."""
    status: Literal["active", "revoked", "expired"] | str


class ConnectionKey(Model):
    api_key_id: str
    """The key’s id; DELETE /api/v1/api-keys/{key_id} revokes only this key."""
    plaintext_key: str | None
    """The key itself. It is shown only once."""
    key_prefix: str
    """The first characters of the key, to recognize it."""
    expires_at: datetime | None = None
    """When its connection expires."""
    warning: str
    """A warning that the key is shown only here."""


class ConsideredStatement(Model):
    record_id: str
    """The record."""
    start: int
    """Its first UTF-16 code unit in the record’s `text`."""
    end: int
    """The end, exclusive; 0 for a statement made from fields or relations."""
    text: str
    score: float
    """The probability that it answers the question, from 0 to 1."""
    rank: int
    """1 for the best."""
    chosen: bool
    """True if the answer contains it."""
    reason: str
    """The reason why it was selected or not."""


class ConsoleCode(Model):
    code: str | None
    """Signs in to the console once."""
    url: str | None = None
    """The console’s URL with the code in its fragment; null if this service has no console."""
    expires_at: datetime
    """When it expires: ten minutes after its creation."""


class ConsoleSignedIn(Model):
    api_key: str | None
    """An API key of the account, which can be listed and revoked like any other; null with `cookie`."""
    expires_at: datetime
    """When the key or the session expires: twelve hours after the exchange."""


class ContextPassage(Model):
    text: str
    """Whole sentences without markup; fields of a record as `name: value`."""
    record_id: str
    """The record of the passage."""
    locator: str | None = None
    """Where in its document it begins: `p. 12`, `#limits/retries`."""
    title: str | None = None
    author: str | None = None
    """Its author."""
    url: str | None = None
    """Where the record is at its source."""
    occurred_at: datetime | None = None
    """When it happened."""
    type: str
    """The record’s kind."""
    score: float
    """Above 0, at most 1; comparable within this reply."""


class CreatedAccount(Model):
    user_id: str
    """The account’s id."""
    display_name: str
    """Its display name."""
    key: str | None
    """Its first API key. It is shown only once."""


class CreatedAccountKey(Model):
    id: str
    """The key’s id, which revokes it."""
    name: str
    key_prefix: str
    """The first characters of the key, to recognize it."""
    expires_at: datetime | None = None
    """When it expires."""
    created_at: datetime
    """When it was created."""
    member_id: str | None = None
    """The member that the key acts as; null for a key of the account."""
    key: str | None
    """The key itself. It is shown only once."""
    warning: str
    """A warning that the key is shown only here."""
    user_id: str
    """The account’s id."""
    keys_kept: int
    """Number of other keys of the account that remain valid until they expire."""
    keys_revoked: int
    """Number of other keys of the account that were revoked."""


class CreatedApiKey(Model):
    id: str
    """The key’s id, which revokes it."""
    name: str
    key_prefix: str
    """The first characters of the key, to recognize it."""
    expires_at: datetime | None = None
    """When it expires."""
    created_at: datetime
    """When it was created."""
    member_id: str | None = None
    """The member that the key acts as; null for a key of the account."""
    key: str | None
    """The key itself. It is shown only once."""
    warning: str
    """A warning that the key is shown only here."""


class CreatedInvitation(Model):
    invitation_id: str
    """The invitation’s id."""
    role: Literal["owner", "admin", "member", "viewer"] | str
    """The role that the person joins with."""
    email: str | None
    """The address that it is for."""
    group_ids: list[str]
    """The groups that the person joins."""
    created_at: datetime
    """When it was created."""
    expires_at: datetime
    """When it expires: 7 days after its creation."""
    url: str | None
    """The link to send to the person. It works once."""


class DeclaredEntity(Model):
    type: str
    """Its kind, for example `person` or `issue`."""
    name: str
    """Its name."""
    aliases: list[str] | None = None
    email: str | None = None
    """Short form of the `email` in `identifiers`, where it is stored and shown."""
    identifiers: dict[str, list[str] | str] | None = None
    """Unique identifiers: `email`, `login`, `url`, `key` and others."""
    properties: dict[str, Any] | None = None
    """Other properties."""


class DeclaredRelationSubject(Model):
    type: str | None = None
    """Its kind, for example `person` or `issue`."""
    name: str
    """Its name."""
    aliases: list[str] | None = None
    email: str | None = None
    """Short form of the `email` in `identifiers`, where it is stored and shown."""
    identifiers: dict[str, list[str] | str] | None = None
    """Unique identifiers: `email`, `login`, `url`, `key` and others."""
    properties: dict[str, Any] | None = None
    """Other properties."""


class DeclaredRelationObject(Model):
    type: str | None = None
    """Its kind, for example `person` or `issue`."""
    name: str
    """Its name."""
    aliases: list[str] | None = None
    email: str | None = None
    """Short form of the `email` in `identifiers`, where it is stored and shown."""
    identifiers: dict[str, list[str] | str] | None = None
    """Unique identifiers: `email`, `login`, `url`, `key` and others."""
    properties: dict[str, Any] | None = None
    """Other properties."""


class DeclaredRelation(Model):
    subject: str | DeclaredRelationSubject
    """The subject: an entity."""
    predicate: str
    """The relation, for example `works_for`."""
    object: str | DeclaredRelationObject
    """The object: another entity or a plain value such as a date."""
    valid_from: datetime | None = None
    """Start of validity."""
    valid_to: datetime | None = None
    """End of validity."""


class DeletedCounts(Model):
    sql: int
    """Rows in the control plane."""
    records: int
    entities: int
    links: int
    objects: int
    """Files, or objects in the object store."""


class DeletedSandbox(Model):
    success: Literal[True]
    message: str
    """What happened, in a sentence."""
    deleted: DeletedCounts


class DeliveryAnswer(Model):
    status: Literal["duplicate", "challenge"] | str | None = None
    """The reason for the response body."""
    challenge: str | None = None
    """The challenge with which the provider verifies this address."""


class DeliveryPage(Model):
    deliveries: list[SourceDelivery]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class Discovery(Model):
    header: str
    """A sentence about the results."""
    items: list[DiscoveryItem]
    intent: QuestionIntent | None = None
    count: int
    sandbox_id: str
    """Echo."""
    project_id: str | None
    """The requested project, or null for the whole sandbox."""
    query: str
    """Echo."""
    next_steps: str
    """Suggested next steps, in sentences."""


class DiscoveryItem(Model):
    id: str
    score: float
    """Comparable within this reply."""
    title: str | None = None
    type: str
    """The record’s kind."""
    url: str | None = None
    """Where the record is at its source."""
    summary: str
    snippet: str
    """The passage of at most 300 characters that contains most of the question."""
    locator: str | None = None
    """The place of the snippet in its document: `p. 12`, `#limits/retries`."""
    canonical_ids: list[str]
    """Its entities, the most specific first, then the record itself."""
    subgraph: dict[str, Any] | None = None
    """The ids through which it was found."""
    matched_query_nodes: list[str] | None = None
    """Names in the question that match it."""
    file_paths: list[str] | None = None
    occurred_at: datetime | None = None
    """When it happened."""
    source_id: str | None = None
    record_id: str | None = None
    external_id: str | None = None
    why: dict[str, float] | None = None
    """Score of each ranking signal; only with `explain`."""


class Done(Model):
    """True: the operation succeeded."""
    success: Literal[True]
    message: str
    """What happened, in a sentence."""


class Entity(Model):
    canonical_id: str
    """The id with which it is pinned and cited."""
    sandbox_id: str
    """The sandbox of the entity."""
    name: str
    type: str
    names: list[str]
    """All its names, most descriptive first."""
    identifiers: dict[str, list[str]]
    """Its unique identifiers, by kind."""
    properties: dict[str, Any]
    """Its properties according to the records."""
    evidence: list[EntityEvidence]
    """The records that state its names, identifiers and properties."""
    relations: list[EntityRelation]
    records: list[RecordSummary]
    """The latest records about it."""
    record_count: int
    merge_history: list[EntityMerge]
    """Its merge history."""
    created_at: datetime | None = None
    """When it was first seen."""


class EntityDecision(Model):
    success: bool
    message: str
    canonical_id: str
    """The merged entity; after a split or an undo, the separated one."""
    merge_id: str | None
    """The entry in the merge ledger; null if nothing changed."""


class EntityEvidence(Model):
    kind: Literal["name", "identifier", "property"] | str
    key: str
    """The kind of the identifier or the name of the property."""
    value: Any
    """The value; for a property the latest one."""
    record_ids: list[str]
    """At most five records, latest last."""


class EntityHit(Model):
    canonical_id: str
    """The id with which it is pinned and cited."""
    name: str
    similarity: float
    """From 0 to 1; 1 is the same name."""
    record_type: str
    """The entity’s kind."""


class EntityHits(Model):
    results: list[EntityHit]


class EntityMerge(Model):
    merge_id: str
    """The id with which the merge can be undone."""
    kind: Literal["identifier", "name", "alike", "person", "split"] | str
    """The basis: a shared identifier, a shared name, similarity, or a user’s decision."""
    from_: str = Field(alias="from")
    """The id that was merged into another, or that was split."""
    into: str
    """The id that remained, or the new id of a split."""
    reason: str
    """The reason in a few words."""
    evidence: dict[str, Any]
    """The evidence."""
    decided_by: str | None
    """The account that decided it; null if it was automatic."""
    merged_at: datetime
    """When."""
    undone_at: datetime | None
    """When it was undone."""
    undone_by: str | None
    """The account that undid it."""


class EntityPage(Model):
    entities: list[EntitySummary]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""
    resolution: Literal["settled", "pending", "failed"] | str
    """`pending` while recent mentions are still compared with others of their type; `failed` if the last comparison ended in an error (it is retried) or was incomplete: a pair that cannot be compared counts as two entities and blocks nothing. `/metrics` counts the failures."""


class EntityProfile(Model):
    sandbox_id: str
    """Echo."""
    canonical_id: str
    name: str
    type: str
    text: str
    """A description with current facts and the latest changes."""
    tokens: int
    """Length of the text, in UTF-8 bytes divided by 4, rounded up."""
    statements: list[AnswerStatement]
    """The lines of the text with their supporting records."""


class EntityRelationSpan(Model):
    start: int
    end: int
    confidence: float


class EntityRelation(Model):
    predicate: str
    direction: Literal["out", "in"] | str
    """`out`: this entity is the subject."""
    canonical_id: str | None = None
    """The other entity, if known."""
    name: str
    """The other entity’s name."""
    valid_from: str | None = None
    valid_to: str | None = None
    stated_at: datetime | None = None
    """The time of the record that states it."""
    is_current: bool
    """True if it is current: it has begun, has not ended and is not superseded by a newer statement in scope."""
    superseded_by: str | None = None
    """The record with the statement that superseded it."""
    record_id: str | None = None
    """The record that states it."""
    span: EntityRelationSpan | None = None
    """Its place in the record’s text, in UTF-16 code units, and its confidence; null if declared."""


class EntitySummary(Model):
    canonical_id: str
    """The id with which it is pinned and cited."""
    name: str
    """Its most descriptive name."""
    type: str
    """Its kind."""
    record_count: int | None = None
    """Number of records about it in the access scope."""
    created_at: datetime | None = None
    """When it was first seen."""


class ErasedOwner(Model):
    success: Literal[True]
    message: str
    """What happened, in a sentence."""
    sandboxes: int
    """Sandboxes that were erased."""
    deleted: DeletedCounts


class EvaluationCounts(Model):
    """Answers by grade."""
    right: int
    partly: int
    wrong: int
    rightly_unanswered: int
    wrongly_unanswered: int
    ungraded: int


class Evaluation(Model):
    evaluation_id: str
    """The id of the evaluation and of its job."""
    status: Literal["queued", "processing", "completed", "failed", "cancelled"] | str
    error_message: str | None = None
    """Why it failed or waits, and what to do."""
    settings: EvaluationSettings
    questions: int
    """Number of questions in the request."""
    asked: int
    """Questions that were asked so far and are still stored."""
    erased: int
    """Questions that were deleted with a record that they cite."""
    counts: EvaluationCounts
    """Answers by grade."""
    statements: int
    """Statements of all answers."""
    unsupported: int
    """Statements that their cited records do not support, by a comparison of words."""
    writer: str | None
    """The language model that wrote answers; null if none was to write."""
    judge: str | None
    """The language model that graded answers; null if none did."""
    created_at: datetime
    """When it was started."""
    started_at: datetime | None = None
    """When the first question was asked."""
    completed_at: datetime | None = None
    """When it ended."""
    expires_at: datetime
    """When it is deleted."""
    results: list[EvaluationResult]
    """The questions whose cited and expected records are all in your access scope, in their order."""


class EvaluationPage(Model):
    evaluations: list[EvaluationSummary]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class EvaluationResult(Model):
    position: int
    """Its position in the request, from 1."""
    question: str
    """The current question."""
    expected: str | None = None
    """The expected answer. `|` separates alternatives; one of them is enough."""
    record: str | None = None
    """The ids of the records that should be cited, separated by spaces."""
    unanswerable: bool | None = None
    """True if the sandbox does not contain the answer."""
    grade: Literal["right", "partly", "wrong", "rightly_unanswered", "wrongly_unanswered", "ungraded"] | str | None
    """Null until it is asked."""
    graded_by: Literal["match", "model"] | str | None = None
    """The grader."""
    outcome: Literal["answered", "closest", "nothing"] | str | None = None
    answer: str | None = None
    """The answer as it was given."""
    written_by_model: bool | None = None
    """True if a language model wrote the answer."""
    cited: list[str] | None = None
    """The records that the answer cites."""
    missing_records: list[str] | None = None
    """Expected records that the answer does not cite."""
    statements: int | None = None
    """Statements of the answer."""
    unsupported: list[str] | None = None
    """Statements that their cited records do not support."""
    warnings: list[str] | None = None
    """The warnings of the answer."""
    duration_ms: float | None = None
    """Duration of the query in milliseconds."""


class EvaluationSettings(Model):
    project_id: str | None = None
    """Only records of this project. Default: the whole sandbox."""
    preset: str | None = None
    """The search preset. `max` is reserved (403). The name of a model (`vendor/name`, `name:variant`), as other services take one here, counts as `auto`, with a `Warning`. `auto` if omitted."""
    reference_date: str | None = None
    """The reference for relative dates such as `today`: a day, or a moment with its UTC offset. Default: the current day."""
    time_zone: str | None = None
    """The time zone in which days begin and end: an IANA name or a UTC offset. Default: the offset of `reference_date`, else UTC."""
    detail_level: Literal["concise", "detailed"] | str | None = None
    """Length of the answers."""
    writer: bool | None = None
    """Lets the configured language model write. Without one it does nothing. `true` if omitted."""
    judge: bool | None = None
    """Lets the configured language model grade the answers that do not match the expected one. 409 if no model is configured, and in a sandbox with a customer-managed key. `false` if omitted."""


class EvaluationSummaryCounts(Model):
    """Answers by grade."""
    right: int
    partly: int
    wrong: int
    rightly_unanswered: int
    wrongly_unanswered: int
    ungraded: int


class EvaluationSummary(Model):
    evaluation_id: str
    """The id of the evaluation and of its job."""
    status: Literal["queued", "processing", "completed", "failed", "cancelled"] | str
    error_message: str | None = None
    """Why it failed or waits, and what to do."""
    settings: EvaluationSettings
    questions: int
    """Number of questions in the request."""
    asked: int
    """Questions that were asked so far and are still stored."""
    erased: int
    """Questions that were deleted with a record that they cite."""
    counts: EvaluationSummaryCounts
    """Answers by grade."""
    statements: int
    """Statements of all answers."""
    unsupported: int
    """Statements that their cited records do not support, by a comparison of words."""
    writer: str | None
    """The language model that wrote answers; null if none was to write."""
    judge: str | None
    """The language model that graded answers; null if none did."""
    created_at: datetime
    """When it was started."""
    started_at: datetime | None = None
    """When the first question was asked."""
    completed_at: datetime | None = None
    """When it ended."""
    expires_at: datetime
    """When it is deleted."""


class FailedRecord(Model):
    line: int
    """Its line or position in the request, from 1."""
    file: str | None = None
    """Its file in an archive."""
    external_id: str | None = None
    reason: str
    """A stable code."""
    detail: str
    """The problem in a sentence."""


class Feedback(Model):
    answer_id: str
    """The answer."""
    user_id: str
    """The account that gave the feedback."""
    verdict: Literal["right", "partly", "wrong"] | str
    note: str | None
    expected_record_ids: list[str]
    """Records that should answer the question."""
    created_at: datetime
    """When it was given."""


class FeedbackEntry(Model):
    answer_id: str
    """The answer."""
    user_id: str
    """The account that gave the feedback."""
    verdict: Literal["right", "partly", "wrong"] | str
    note: str | None
    expected_record_ids: list[str]
    """Records that should answer the question."""
    created_at: datetime
    """When it was given."""
    query: str
    """The question."""
    outcome: Literal["answered", "closest", "nothing"] | str
    answer: str
    """The answer as it was given."""
    asked_at: datetime
    """When the question was asked."""
    retrieved: list[RetrievedRecord]
    """Best first."""


class FeedbackPage(Model):
    feedback: list[FeedbackEntry]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class GatheredContext(Model):
    passages: list[ContextPassage]
    """Best first, without repeated sentences."""
    tokens: int
    """Size with titles, in UTF-8 bytes divided by 4, rounded up."""
    citations: list[InterpretCitation]
    """One citation for each record, weighted as if the passages were statements."""
    warnings: list[str]
    """Warnings about the search, as sentences."""


class Group(Model):
    group_id: str
    """The group’s id."""
    name: str
    claim: str | None
    """The value of the groups claim whose holders belong to it."""
    member_ids: list[str]
    """Its members."""
    created_at: datetime
    """When it was created."""


class GroupPage(Model):
    groups: list[Group]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class GroupRole(Model):
    group_role_id: str
    """The id of this rule."""
    claim: str
    """The value of the groups claim."""
    role: Literal["owner", "admin", "member", "viewer"] | str
    """The role of members who have it. Of several the most powerful counts."""
    created_at: datetime
    """When it was created."""


class GroupRolePage(Model):
    group_roles: list[GroupRole]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class Health(Model):
    status: Literal["ok", "unavailable"] | str
    warnings: list[str] | None = None
    """Problems that need action by the operator; absent if there are none."""


class ImportedFile(Model):
    path: str
    """Its path, including the paths of the archives that contain it."""
    status: Literal["read", "unchanged", "left_out", "failed"] | str
    """`unchanged` if everything was already stored; `left_out` if its format is not supported; `failed` if it could not be read completely."""
    reason: str | None = None
    """The reason why it was not read, as a stable code."""
    records: int
    """Number of records from it."""


class InterpretCitation(Model):
    canonical_id: str
    name: str
    type: str | None = None
    """The kind of the entity or of the record."""
    relevance: float
    """Above 0, at most 1. The statements of an answer weigh 1, ½, ¼ … in their order. The value is the weight of the statements that it supports, relative to the citation with the highest weight."""
    record_ids: list[str]
    """At most 10 records that support it: its own record first, then the others in the order of the answer."""
    title: str | None = None
    """From the first of these records that has one."""
    url: str | None = None
    """From the first of these records that has one."""
    spans: list[TextSpan] | None = None
    """At most 10 spans of these records that support the statements."""


class Interpretation(Model):
    answer_id: str | None = None
    """The id of the stored answer. Absent if it is not stored: with `store: false`, with `as_user`, in a sandbox without records, if the service stores no answers, and, with a warning, if storing it failed."""
    outcome: Literal["answered", "closest", "nothing"] | str
    """`answered`: the passages answer the question. `closest`: one sentence names the missing information, followed by at most two related passages. `nothing`: only that sentence."""
    answered: bool
    """True if `outcome` is `answered`. Zero and "no" count as answers."""
    written_by: str | None = None
    """The name of the language model that wrote the answer, or the query for its rows. Absent if no model did."""
    nearest: list[RecordPointer] | None = None
    """If nothing answers the question, at most three records that are nearest."""
    considered: list[ConsideredStatement] | None = None
    """At most 24 statements, best first; only with `explain`."""
    threshold: float | None = None
    """The minimum probability for the records to count as an answer to the question; only with `explain`. It applies to the whole question and is not comparable with the `score` of one statement."""
    brief: str
    """A summary of one or two paragraphs, from the pinned tuples."""
    items: list[list[str]]
    """Echo."""
    sandbox_id: str
    """Echo."""
    query: str
    """Echo."""
    citations: list[InterpretCitation] | None = None
    """At most 10, most relevant first."""
    statements: list[AnswerStatement] | None = None
    """The statements of the answer; with `statements` or `explain`."""
    records: list[RecordPointer] | None = None
    """The first 10 records that support the answer, in the order of its statements; only with `explain`."""
    intent: QuestionIntent | None = None
    project_id: str | None = None
    """The requested project, or null for the whole sandbox."""


class Invitation(Model):
    invitation_id: str
    """The invitation’s id."""
    role: Literal["owner", "admin", "member", "viewer"] | str
    """The role that the person joins with."""
    email: str | None
    """The address that it is for."""
    group_ids: list[str]
    """The groups that the person joins."""
    created_at: datetime
    """When it was created."""
    expires_at: datetime
    """When it expires: 7 days after its creation."""
    status: Literal["open", "accepted", "expired"] | str
    accepted_by: str | None
    """The member who joined with it."""


class InvitationPage(Model):
    invitations: list[Invitation]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class Job(Model):
    job_id: str
    """The job’s id."""
    status: Literal["queued", "processing", "completed", "failed", "cancelled"] | str
    job_type: str
    """The kind of work."""
    encrypted: bool
    """True if its content is encrypted with the customer-managed key."""
    sandbox_id: str | None = None
    """The sandbox of the job."""
    source_id: str | None = None
    """The source of the job; absent if your grant is limited to a project."""
    result: JobResult | None = None
    error_message: str | None = None
    """The reason for a failure or a delay."""
    retry_count: int
    children: list[str] | None = None
    """Jobs it was split into."""
    created_at: datetime
    """When the job was accepted."""
    started_at: datetime | None = None
    """When work on it began."""
    completed_at: datetime | None = None
    """When it ended."""


class JobPage(Model):
    jobs: list[Job]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class JobResult(Model):
    received: int | None = None
    """Number of records received."""
    expected: int | None = None
    """For tables, lists, calendars and address books: the expected number of records, counted before the first record of a file is written. Each counts against `max_records`, as does each part of a long document."""
    written: int | None = None
    """Records added or replaced."""
    unchanged: int | None = None
    """Unchanged records."""
    removed: int | None = None
    """Records removed."""
    failed: int | None = None
    """Records that failed individually."""
    record_id: str | None = None
    """The record of a job with a single record, once it is applied."""
    errors: list[FailedRecord] | None = None
    """The first failed records."""
    files: list[ImportedFile] | None = None
    """At most 100 files of an import, unread ones first; the run of its source lists all. In a sandbox with a customer-managed key, only with the key."""


class KnowledgeRecordAuthor(Model):
    type: str | None = None
    """Its kind, for example `person` or `issue`."""
    name: str
    """Its name."""
    aliases: list[str] | None = None
    email: str | None = None
    """Short form of the `email` in `identifiers`, where it is stored and shown."""
    identifiers: dict[str, list[str] | str] | None = None
    """Unique identifiers: `email`, `login`, `url`, `key` and others."""
    properties: dict[str, Any] | None = None
    """Other properties."""


class KnowledgeRecordParticipants(Model):
    type: str | None = None
    """Its kind, for example `person` or `issue`."""
    name: str
    """Its name."""
    aliases: list[str] | None = None
    email: str | None = None
    """Short form of the `email` in `identifiers`, where it is stored and shown."""
    identifiers: dict[str, list[str] | str] | None = None
    """Unique identifiers: `email`, `login`, `url`, `key` and others."""
    properties: dict[str, Any] | None = None
    """Other properties."""


class KnowledgeRecordOwner(Model):
    type: str | None = None
    """Its kind, for example `person` or `issue`."""
    name: str
    """Its name."""
    aliases: list[str] | None = None
    email: str | None = None
    """Short form of the `email` in `identifiers`, where it is stored and shown."""
    identifiers: dict[str, list[str] | str] | None = None
    """Unique identifiers: `email`, `login`, `url`, `key` and others."""
    properties: dict[str, Any] | None = None
    """Other properties."""


class KnowledgeRecordLocators(Model):
    start: int
    """A UTF-16 code unit of `text`."""
    locator: str
    """Where that is in the document: `p. 12`, `slide 4`, `Sheet1!A5:F9`, `00:12:31`."""


class KnowledgeRecordMentions(Model):
    text: str
    """The name as written."""
    start: int
    """Its first UTF-16 code unit in `text`."""
    end: int
    """The end, exclusive."""
    canonical_id: str
    """The entity that it refers to."""
    type: str
    """Its predicted type: person, organization, place, work, project or incident; thing if unknown."""
    confidence: float
    """From 0 to 1: how sure it is that this is a name."""


class KnowledgeRecordFacts(Model):
    subject: str
    """The subject, as named in the record."""
    predicate: str
    object: str
    """A name or words of the text; for a date YYYY-MM-DD."""
    valid_from: str | None = None
    """Start of validity if the text states it, otherwise the time of the record."""
    start: int
    """Where `text` states it: its first UTF-16 code unit."""
    end: int
    """The end, exclusive."""
    confidence: float
    """From 0 to 1."""


class KnowledgeRecordOriginal(Model):
    """The stored file that the record was read from. Only `GET …/records/{record_id}` has it."""
    name: str
    """Its name, without folders."""
    media_type: str
    bytes: int


class KnowledgeRecord(Model):
    record_id: str
    """The record’s id, which is also a canonical id."""
    sandbox_id: str
    """The sandbox of the record."""
    source_id: str | None = None
    """The source of the record."""
    external_id: str | None = None
    type: str
    title: str | None = None
    text: str | None = None
    url: str | None = None
    occurred_at: datetime | None = None
    """When it happened."""
    author: str | KnowledgeRecordAuthor | None = None
    """The author: a name, or a person, for example `{"name": …, "email": …}`."""
    participants: list[str | KnowledgeRecordParticipants] | None = None
    entities: list[DeclaredEntity] | None = None
    relations: list[DeclaredRelation] | None = None
    properties: dict[str, Any] | None = None
    """Typed fields of the record."""
    phase: Literal["open", "doing", "done", "dropped"] | str | None = None
    """The state of the work, as a category of its tool."""
    owner: str | KnowledgeRecordOwner | None = None
    """The person responsible: a name, or a person with identifiers."""
    due: str | None = None
    """The due date."""
    kind: str | None = None
    """The type of the content, in one word: bug, decision, invoice."""
    basis: Basis | None = None
    locators: list[KnowledgeRecordLocators] | None = None
    """Sorted by `start`, without overlaps; each applies up to the next."""
    project_id: str | None = None
    """The project that the record itself names."""
    canonical_ids: list[str] | None = None
    """The entities that it mentions, then the record itself."""
    mentions: list[KnowledgeRecordMentions] | None = None
    """The names in its text, in order and without overlaps."""
    facts: list[KnowledgeRecordFacts] | None = None
    """Facts that its text states, in order."""
    original: KnowledgeRecordOriginal | None = None
    """The stored file that the record was read from. Only `GET …/records/{record_id}` has it."""
    created_at: datetime | None = None
    """When it was ingested."""
    updated_at: datetime | None = None
    """When it was last replaced."""


class Limits(Model):
    max_data_sources: int | None
    """Sources; null is unlimited."""
    max_projects: int | None
    """Projects; null is unlimited."""
    max_storage_bytes: int | None
    """Bytes stored; null is unlimited."""
    max_records: int | None
    """Records; null is unlimited."""
    ingest_records_per_minute: int | None
    """Records accepted per minute; null is unlimited."""
    queries_per_minute: int | None
    """Queries answered per minute; null is unlimited."""
    reads_per_minute: int | None
    """Reads of entities, records and exports answered per minute; null is unlimited."""


class McpAuthorization(Model):
    state: Literal["needs_authorization", "pending", "confirming", "authorized", "needs_scopes"] | str
    url: str | None = None
    """The URL to open in a browser. Present only while the state is `pending`, for the account that started it."""
    expires_at: datetime | None = None
    """When the URL, or the confirmation code, expires."""
    scopes: list[str]
    """The scopes granted, or asked for while nothing is granted."""
    issuer: str | None
    """The authorization server; null while none is known."""
    refreshable: bool
    """True if the token can be refreshed without a new consent."""
    authorized_by: str | None
    """The account whose member consented. Every editor’s calls act as that person."""
    reason: Literal["revoked", "grant_rejected", "client_rejected", "token_rejected", "base_url_changed", "access_denied", "exchange_failed", "unreachable", "insufficient_scope"] | str | None = None
    """The reason for a missing consent."""


class Member(Model):
    member_id: str
    """The member’s id."""
    display_name: str
    """The member’s display name."""
    email: str | None
    """The address of the invitation or of the identity provider."""
    role: Literal["owner", "admin", "member", "viewer"] | str
    """Owners and admins use all sandboxes of the account, members those that they created or were granted; viewers read those that they were granted."""
    status: Literal["active", "suspended"] | str
    group_ids: list[str]
    """The groups that the member belongs to."""
    issuer: str | None
    """The identity provider; null for a member who signs in by a link."""
    joined_at: datetime
    """When the member joined."""
    last_seen_at: datetime | None = None
    """When the member last signed in."""


class MemberPage(Model):
    members: list[Member]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class MergeSuggestion(Model):
    suggestion_id: str
    """The id with which it is accepted or dismissed."""
    state: Literal["open", "accepted", "dismissed"] | str
    """`open` until a user decides; `accepted`: merged; `dismissed`: kept separate."""
    entities: list[EntitySummary]
    """The two entities. The first one remains if the suggestion is accepted. After that, the entities they became."""
    likelihood: float
    """Probability that they are the same."""
    reason: str
    """The reason in a few words."""
    evidence: dict[str, Any]
    """The properties in which the two agree or differ."""
    suggested_at: datetime
    """When."""
    decided_at: datetime | None
    """When a user decided it."""
    decided_by: str | None
    """The account that decided it."""
    merge_id: str | None
    """The id of the resulting merge, with which it can be undone."""


class MergeSuggestionPage(Model):
    merge_suggestions: list[MergeSuggestion]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class ModelUsage(Model):
    model: str
    provider: str
    """The host that serves it."""
    prompt_tokens: int
    """Input tokens."""
    completion_tokens: int
    """Output tokens."""
    total_tokens: int
    cost_usd: float
    """In US dollars, at the configured prices."""
    calls: int


class Neighbour(Model):
    canonical_id: str
    name: str
    type: str
    depth: int
    """Number of steps from the requested entity, which has 0."""
    record_count: int
    """Number of records about it in the access scope."""


class NeighbourEdge(Model):
    from_: str = Field(alias="from")
    """The subject’s id."""
    to: str
    """The object’s id."""
    predicate: str | None
    """The stated relation; null if records only mention both."""
    valid_from: str | None = None
    valid_to: str | None = None
    stated_at: datetime | None = None
    """The time of the record that states it."""
    is_current: bool | None = None
    """True if the statement is current."""
    record_count: int
    """Number of records that state it or mention both, among the records searched."""
    record_ids: list[str]
    """At most five of them."""


class Neighbourhood(Model):
    sandbox_id: str
    """Echo."""
    canonical_id: str
    nodes: list[Neighbour]
    """The entity itself, then the others, nearest first."""
    edges: list[NeighbourEdge]
    """Edges between these nodes: stated relations first, then shared records."""


class Origin(Model):
    canonical_id: str
    """As asked."""
    files: list[OriginFile]
    """Files that its records name, by number of records: entities of type `file`, and the properties `path`, `file_path`, `file_paths` and `files`."""
    records: list[RecordSummary]
    """Supporting records: its own first, then those that name it most."""


class OriginFile(Model):
    file_path: str
    extraction_count: int
    """Number of records of the id that name the file."""


class Origins(Model):
    sandbox_id: str
    """Echo."""
    origins: list[Origin]
    """One for each id, in the requested order."""


class Outcome(Model):
    data_source_id: str | None
    """The source; null when nothing was registered."""
    status: Literal["active", "paused", "disconnected", "error", "archived"] | str | None
    name: str | None
    ingestion_mode: Literal["realtime", "polling", "batch", "manual"] | str | None
    health_error: str | None
    """Why the check failed: blocked_address, dns_failed, connect_failed, tls_failed, timeout, auth_rejected, rate_limited, protocol_error, response_too_large, too_many_tools, allowed_tool_missing, needs_authorization, needs_scopes. Null when it did not."""
    error: str | None
    """Always null; errors get 400 with this field."""
    detail: str | None
    """Always null; errors have this field."""
    authorization: McpAuthorization | None = None


class OverviewTypes(Model):
    type: str
    record_count: int


class OverviewSources(Model):
    source_id: str | None
    """Null for records without a visible source."""
    name: str | None = None
    provider: str | None = None
    status: str | None = None
    record_count: int
    newest_at: datetime | None
    """The time of its latest record."""
    last_sync_at: datetime | None = None
    """When it last delivered something."""


class OverviewEntitiesEntities(Model):
    canonical_id: str
    name: str
    record_count: int


class OverviewEntities(Model):
    type: str
    entities: list[OverviewEntitiesEntities]
    """The most frequent ones, most frequent first."""


class OverviewTopics(Model):
    name: str
    record_count: int


class Overview(Model):
    sandbox_id: str
    """Echo."""
    project_id: str | None
    """The project that it is limited to, or null for the whole sandbox."""
    record_count: int
    types: list[OverviewTypes]
    """Kinds of records, most frequent first."""
    sources: list[OverviewSources]
    """Sources in the access scope, by number of records."""
    newest: RecordSummary | None = None
    oldest: RecordSummary | None = None
    entities: list[OverviewEntities]
    """The most connected entities, by kind."""
    topics: list[OverviewTopics]
    """Other topics: recurring names, by number of records."""


class Profile(Model):
    user_id: str
    """The platform account: `acct_…`, or the subject of the account’s tokens."""
    display_name: str | None
    """The account’s display name."""
    member_id: str | None = None
    """The member that makes the request; null for the account itself."""
    sandbox_id: str | None = None
    """The primary sandbox, which the ingest shorthand uses: the configured one, or else your only active one."""
    project_id: str | None = None
    """The default project of the ingest shorthand."""


class Project(Model):
    project_id: str
    """The project’s id."""
    user_id: str
    """The platform account that owns it."""
    sandbox_id: str
    """The sandbox of the project."""
    name: str
    status: Literal["active", "archived"] | str
    description: str | None = None
    data_source_ids: list[str] | None = None
    """The sources linked to it."""
    metadata: dict[str, Any] | None = None
    """Your metadata, unchanged."""
    created_at: datetime | None = None
    """When it was created."""


class ProjectPage(Model):
    projects: list[Project]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class ProtectedResource(Model):
    resource: str
    """The endpoint."""
    resource_name: str
    authorization_servers: list[str] | None = None
    """The issuer; absent if none is configured."""
    scopes_supported: list[Literal["cairn:read", "cairn:write"] | str]
    bearer_methods_supported: list[Literal["header"] | str]


class Provider(Model):
    provider: str
    """Its value of `provider`."""
    aliases: list[str]
    """Other accepted values."""
    name: str
    """Its display name."""
    ways: list[ProviderConnection]
    profiles: list[ServerProfile] | None = None
    """With user_mcp: the servers that have a profile."""


class ProviderConnection(Model):
    ingestion_mode: Literal["realtime", "polling"] | str
    """The product delivers to a webhook, or Cairn reads it."""
    path: str
    """Where a source of it is registered, under the sandbox’s address."""
    credential: str | None
    """The registration field for the product’s secret; null if it has none."""
    forms: list[str]
    """The body formats that its webhook accepts."""
    settings_in: str | None
    """The registration field for the settings; null if the settings are top-level fields."""
    settings: dict[str, Any]
    """The settings, as a JSON Schema."""


class Providers(Model):
    providers: list[Provider]
    count: int


class PulledSource(Model):
    job_id: str
    """The job: the waiting or running one if there is one."""
    job_type: Literal["data_source_pull"] | str
    status: Literal["queued"] | str


class PurgedSource(Model):
    success: bool
    """Always true; a failure gets an error reply."""
    delete_source_applied: bool
    """True if the registration is removed too."""
    events_deleted: int
    """Records."""
    extractions_deleted: int
    """Relations that only these records stated."""
    canonical_index_rows_deleted: int
    """Entities that only these records supported."""
    entity_vectors_deleted: int
    """Always 0; for compatibility."""
    triggers_deleted: int
    """Always 0; for compatibility."""
    webhooks_deleted: int
    """Webhook secrets, with `delete_source`."""
    event_seen_deleted: int
    """Always 0; for compatibility."""
    project_links_deleted: int
    """Links to projects, with `delete_source`."""
    strategy_artifacts_deleted: int
    """Always 0; for compatibility."""
    pull_artifacts_deleted: int
    """Always 0; for compatibility."""
    user_strategies_deleted: int
    """Always 0; for compatibility."""
    vault_objects_deleted: int
    """Files, or objects in the object store."""


class QuestionIntentParts(Model):
    text: str
    """With the subject from an earlier part of the question."""
    kind: str
    """The kind of answer: `who`, `when`, `why` and others."""
    terms: list[str]
    """The search terms, as indexed."""
    names: list[str]
    """Names of entities in the question."""
    people: list[str]
    """The names that belong to people."""


class QuestionIntentTimes(Model):
    from_: datetime | None = Field(alias="from")
    """From when on."""
    until: datetime | None
    """The end, exclusive."""


class QuestionIntent(Model):
    """The interpretation of the question; only with `explain`."""
    text: str
    """The question with corrected spelling."""
    parts: list[QuestionIntentParts]
    """The parts of the question in order; at least one."""
    times: list[QuestionIntentTimes]
    """The times that it asks about; empty for any time."""
    broad: Literal["courtesy", "everything", "thing"] | str | None = None
    """The kind of question, if it does not ask for a single fact."""
    event: str | None = None
    """The words that give a time by an event."""
    subject: str | None = None
    """The subject from earlier questions."""
    asks_rows: bool
    """True for a count, a list, groups or an extreme of a kind of records that exists."""
    notes: list[str]
    """Assumptions made in interpreting it, as sentences."""


class QuestionSettings(Model):
    """The settings of the question, as they were given."""
    reference_date: str | None = None
    """The reference for relative dates such as `today`: a day, or a moment with its UTC offset. Default: the current day."""
    time_zone: str | None = None
    """The time zone in which days begin and end: an IANA name or a UTC offset. Default: the offset of `reference_date`, else UTC."""
    preset: str | None = None
    """The search preset. `max` is reserved (403). The name of a model (`vendor/name`, `name:variant`), as other services take one here, counts as `auto`, with a `Warning`. `auto` if omitted."""


class RecordPage(Model):
    records: list[RecordSummary]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class RecordPointer(Model):
    record_id: str
    """The record."""
    type: str
    """Its kind."""
    title: str
    """Its title, or the beginning of its text."""
    url: str | None = None
    """Where it is at its source."""
    occurred_at: datetime | None = None
    """When it happened."""
    source_name: str | None = None
    """The name of its source."""
    path: str | None = None
    """Its file path at the source, if it is a file."""
    locator: str | None = None
    """The location of the first supporting passage in its document."""


class RecordSummary(Model):
    record_id: str
    """The record’s id, which is also a canonical id."""
    external_id: str | None = None
    type: str | None = None
    title: str | None = None
    snippet: str | None = None
    """The beginning of its text, at most 300 characters."""
    author: str | None = None
    """The name of its author."""
    occurred_at: datetime | None = None
    """When it happened."""
    source_id: str | None = None
    url: str | None = None


class RetrievedRecord(Model):
    record_id: str
    """The record."""
    rank: int
    """1 for the first. Deleted records leave gaps."""
    cited: bool
    """True if the answer cites it."""


class RevokedApiKey(Model):
    revoked: Literal[True]
    id: str
    """The key’s id."""
    name: str


class RunFilePage(Model):
    files: list[ImportedFile]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class RunPage(Model):
    runs: list[SourceRun]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class SandboxStorage(Model):
    """Its own bucket; only visible to the owner."""
    bucket: str
    region: str
    endpoint: str | None
    """Null for AWS."""
    prefix: str
    """Without leading and trailing slashes."""


class Sandbox(Model):
    sandbox_id: str
    """The sandbox’s id."""
    user_id: str
    """The platform account that owns it."""
    owner_id: str
    """Your identifier, unchanged."""
    name: str
    tier: Literal["free", "pro", "enterprise"] | str
    status: Literal["active", "suspended", "archived"] | str
    storage_provider_type: Literal["platform_s3", "custom_s3"] | str
    storage: SandboxStorage | None = None
    """Its own bucket; only visible to the owner."""
    limits: Limits
    metadata: dict[str, Any] | None = None
    """Your metadata, unchanged."""
    created_at: datetime | None = None
    """When it was created."""
    access: Literal["viewer", "editor", "owner"] | str | None = None
    """Your role on it."""
    is_external: bool | None = None
    """True if you have access through a grant. `false` if omitted."""
    encrypted: bool | None = None
    """True if its content is encrypted with a customer-managed key."""
    key_fingerprint: str | None = None
    """Identifies that key without revealing it."""


class SandboxPage(Model):
    sandboxes: list[Sandbox]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class SearchAnswer(Model):
    answer_id: str | None = None
    """The id of the stored answer. Absent if it is not stored: with `store: false`, with `as_user`, in a sandbox without records, if the service stores no answers, and, with a warning, if storing it failed."""
    outcome: Literal["answered", "closest", "nothing"] | str
    """`answered`: the passages answer the question. `closest`: one sentence names the missing information, followed by at most two related passages. `nothing`: only that sentence."""
    answered: bool
    """True if `outcome` is `answered`. Zero and "no" count as answers."""
    written_by: str | None = None
    """The name of the language model that wrote the answer, or the query for its rows. Absent if no model did."""
    nearest: list[RecordPointer] | None = None
    """If nothing answers the question, at most three records that are nearest."""
    considered: list[ConsideredStatement] | None = None
    """At most 24 statements, best first; only with `explain`."""
    threshold: float | None = None
    """The minimum probability for the records to count as an answer to the question; only with `explain`. It applies to the whole question and is not comparable with the `score` of one statement."""
    answer: str
    """One or two paragraphs. Every statement is quoted or computed from stored records."""
    citations: list[InterpretCitation]
    """At most 10, most relevant first."""
    statements: list[AnswerStatement] | None = None
    """The statements of the answer; with `statements` or `explain`."""
    records: list[RecordPointer] | None = None
    """The first 10 records that support the answer, in the order of its statements; only with `explain`."""
    unread: list[UnreadFile] | None = None
    """If nothing answers the question, at most three files in scope whose name or kind fits it and that could not be read in the last 30 days."""
    intent: QuestionIntent | None = None
    preset: Literal["fast", "auto", "discover", "sql", "max"] | str
    """The preset that answered."""
    execution_time_ms: float
    """Execution time in the service, in milliseconds."""
    warnings: list[str]
    """Warnings about the answer, as sentences."""
    columns: list[str] | None = None
    """The columns of `rows`; only with the preset `sql`."""
    rows: list[list[str | float | bool | None]] | None = None
    """At most 100 rows of the answer."""
    total_rows: int | None = None
    """Total number of rows."""
    sandbox_id: str
    """Echo."""
    project_id: str | None
    """The requested project, or null for the whole sandbox."""
    query: str
    """Echo."""


class SecretWebhook(Model):
    webhook_id: str
    """The endpoint’s id."""
    sandbox_id: str
    """The sandbox whose changes it receives."""
    url: str
    """Where they are sent."""
    description: str | None
    """A label of your choice."""
    events: list[Literal["record.added", "record.changed", "record.removed", "entity.added", "entity.changed", "entity.removed", "entity.merged"] | str]
    """The events that it receives."""
    status: Literal["active", "paused", "disabled"] | str
    """`disabled` if it failed for five days or replied 410 (Gone). Setting `active` resumes it at its last position."""
    disabled_reason: Literal["failing", "gone"] | str | None
    """The reason why it was disabled."""
    failures: int
    """Number of failed attempts since the last success."""
    failing_since: datetime | None
    """When the first of these attempts was made."""
    last_error: str | None
    """The reason for the latest failure; null after a success."""
    last_attempt_at: datetime | None
    """The time of the latest attempt."""
    last_delivered_at: datetime | None
    """The time of the latest success."""
    next_attempt_at: datetime | None
    """The time of the next retry."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When its settings last changed."""
    signing_secret: str | None
    """The signing secret, shown only when it is created or rotated."""


class ServerProfileDocumentation(Model):
    url: str
    date: str | None


class ServerProfile(Model):
    profile: str
    """The name of the profile."""
    name: str
    """The display name of the server."""
    urls: list[str]
    """Accepted values of base_url. `{name}` matches one path segment."""
    client: str
    """Client registration that the authorization server requires."""
    parameters: dict[str, Any]
    """JSON Schema of each object in profile_parameters."""
    imports: list[str]
    """The types of its records."""
    limits: list[str]
    """Limitations of an import with this profile."""
    documentation: list[ServerProfileDocumentation]
    """The public pages that describe its tools. Null: the page has no date."""


class Session(Model):
    session_id: str | None
    """The session; null for a key or a token."""
    user_id: str
    """The account."""
    display_name: str
    """The name of the member, or of the account."""
    member_id: str | None
    """The member; null for a caller who acts as the account."""
    role: Literal["owner", "admin", "member", "viewer"] | str | None
    """The member’s role; null for a caller who acts as the account."""
    email: str | None
    """The member’s address."""
    signed_in_at: datetime | None = None
    """When the session began."""
    expires_at: datetime | None = None
    """When the session ends at the latest: 12 hours after it began."""
    idle_expires_at: datetime | None = None
    """When the session ends unless it is used: 2 hours after the last use."""


class SignedIn(Model):
    user_id: str
    """The account."""
    member_id: str | None
    """The member; null for a session that acts as the account."""
    expires_at: datetime
    """When the session ends."""


class Source(Model):
    data_source_id: str
    """The source’s id."""
    user_id: str
    """The platform account that owns it."""
    sandbox_id: str
    """The sandbox that stores its records."""
    provider: str
    name: str
    ingestion_mode: Literal["realtime", "polling", "batch", "manual"] | str
    status: Literal["active", "paused", "disconnected", "error", "archived"] | str
    kind: Literal["durable", "ephemeral"] | str | None = None
    """`durable` if omitted."""
    external_account_id: str | None = None
    """The account at the provider."""
    adapter_config: dict[str, Any] | None = None
    """The provider’s settings."""
    poll_interval_seconds: int | None = None
    webhook_url: str | None = None
    """Where a realtime source’s sender posts to."""
    webhook_signing_secret: str | None = None
    """The sender’s bearer secret, only in the reply that creates it."""
    last_sync_at: datetime | None = None
    """The time of the latest successful ingest."""
    last_error: str | None = None
    """The reason why the latest pull failed, as a stable code; absent if it succeeded."""
    credential_under_key: bool | None = None
    """True if the credential is encrypted with the customer-managed key; absent otherwise."""
    authorization: McpAuthorization | None = None
    created_at: datetime | None = None
    """When it was registered."""


class SourceDelivery(Model):
    delivery_id: str
    """The delivery’s id here."""
    received_at: datetime
    """When it arrived."""
    fate: Literal["queued", "written", "unchanged", "ignored", "failed"] | str
    """`queued` until its records are applied; `written` if at least one was added, replaced or removed; `unchanged` if all equal the stored ones; `ignored` if it contains nothing that makes a record; `failed` if a record failed."""
    reason: str | None
    """The reason for `ignored`, `failed` or storing the event as it is, as a stable code."""
    detail: str | None
    """The reason in a sentence."""
    records: int
    """Number of its records."""


class SourcePage(Model):
    sources: list[Source]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class SourceRunCounts(Model):
    received: int
    written: int
    removed: int
    failed: int


class SourceRunProgress(Model):
    """The state of the run."""
    done: int
    """Records that were applied or failed."""
    total: int | None
    """Total records; null while more may arrive."""
    records_per_second: float | None
    """Mean rate since work on it began; null before."""


class SourceRun(Model):
    job_id: str
    """The job of the run."""
    job_type: str
    """The kind of work."""
    status: Literal["queued", "processing", "completed", "failed", "cancelled"] | str
    counts: SourceRunCounts
    progress: SourceRunProgress
    """The state of the run."""
    error: str | None
    """The reason for a failure or a delay."""
    created_at: datetime
    """When it was accepted."""
    started_at: datetime | None
    """When work on it began."""
    completed_at: datetime | None
    """When it ended."""
    files: list[ImportedFile] | None = None
    """For an import of the last 30 days: at most 20 of its files, unread ones first."""


class StoredAnswer(Model):
    answer_id: str
    """The `answer_id` of the reply."""
    query: str
    """The question."""
    outcome: Literal["answered", "closest", "nothing"] | str
    project_id: str | None
    """The project that was asked; null for the whole sandbox."""
    shared: bool
    """True if members of the account can read it."""
    created_at: datetime
    """When it was given."""
    expires_at: datetime
    """When it is deleted, unless a record that it cites is deleted earlier."""
    asked_by: str
    """The account that asked."""
    answer: str
    """The answer or brief, as it was given."""
    citations: list[InterpretCitation]
    """The citations of the original reply."""
    statements: list[AnswerStatement] | None = None
    """The statements of the answer; with `statements` or `explain`."""
    written_by: str | None = None
    """The name of the language model that wrote the answer, or the query for its rows. Absent if no model did."""
    settings: QuestionSettings | None = None
    feedback: Feedback | None = None


class SuggestionDecision(Model):
    success: bool
    message: str
    canonical_id: str
    """The current entity; if the two stay separate, the first."""
    merge_id: str | None
    """The entry in the merge ledger; null if nothing changed."""
    suggestion_id: str
    """The suggestion."""
    state: Literal["open", "accepted", "dismissed"] | str
    """`open` until a user decides; `accepted`: merged; `dismissed`: kept separate."""


class TextSpan(Model):
    record_id: str
    """The record."""
    start: int
    """Its first UTF-16 code unit in the record’s `text`."""
    end: int
    """The end, exclusive."""
    locator: str | None = None
    """Where that is in its document: `p. 12`, `Sheet1!B7`, or the headings above, `#limits/retries`."""


class TrackerOutcome(Model):
    data_source_id: str | None
    """The source; null when nothing was registered."""
    status: Literal["active", "paused", "disconnected", "error", "archived"] | str | None
    name: str | None
    ingestion_mode: Literal["realtime", "polling", "batch", "manual"] | str | None
    health_error: str | None
    """Why the check failed: blocked_address, dns_failed, connect_failed, tls_failed, timeout, auth_rejected, rate_limited, protocol_error, response_too_large, too_many_tools, allowed_tool_missing, needs_authorization, needs_scopes. Null when it did not."""
    error: str | None
    """Always null; errors get 400 with this field."""
    detail: str | None
    """Always null; errors have this field."""
    entities: list[Literal["teams", "users", "projects", "issues", "cycles"] | str]


class UnreadFile(Model):
    path: str
    """Its path as it was sent."""
    reason: str
    """The reason, as a stable code."""


class UsageReading(Model):
    """The state of embedding."""
    model: str | None
    """The embedding model; null if there is none."""
    records: int
    """Records with vectors, which can also be found by meaning."""
    waiting: int
    """Records without vectors yet; they can be found by words."""


class UsageRereading(Model):
    """Records stored by an older version of the service are reindexed in the background, so that they have blocks and phases. Until then they are used as before."""
    waiting: int
    """Records that wait for reindexing."""


class Usage(Model):
    max_data_sources: int
    """Sources that are neither disconnected nor archived."""
    max_projects: int
    """Projects."""
    max_storage_bytes: int
    """Size of the stored records’ content in bytes, as JSON in UTF-8."""
    max_records: int
    """Number of stored records."""
    ingest_records_per_minute: int
    """Records accepted in the last minute."""
    queries_per_minute: int
    """Queries answered in the last minute."""
    reads_per_minute: int
    """Reads of entities, records and exports in the last minute; 0 without a limit."""
    reading: UsageReading
    """The state of embedding."""
    rereading: UsageRereading
    """Records stored by an older version of the service are reindexed in the background, so that they have blocks and phases. Until then they are used as before."""


class UsageBalance(Model):
    """Amounts are in the unit that existing clients call microcents: 10^-6 US dollars."""
    credits_purchased: Literal[0]
    credits_used: int
    """Total model costs of the account since its creation."""
    credits_remaining: Literal[0]
    currency: Literal["usd"]


class Webhook(Model):
    webhook_id: str
    """The endpoint’s id."""
    sandbox_id: str
    """The sandbox whose changes it receives."""
    url: str
    """Where they are sent."""
    description: str | None
    """A label of your choice."""
    events: list[Literal["record.added", "record.changed", "record.removed", "entity.added", "entity.changed", "entity.removed", "entity.merged"] | str]
    """The events that it receives."""
    status: Literal["active", "paused", "disabled"] | str
    """`disabled` if it failed for five days or replied 410 (Gone). Setting `active` resumes it at its last position."""
    disabled_reason: Literal["failing", "gone"] | str | None
    """The reason why it was disabled."""
    failures: int
    """Number of failed attempts since the last success."""
    failing_since: datetime | None
    """When the first of these attempts was made."""
    last_error: str | None
    """The reason for the latest failure; null after a success."""
    last_attempt_at: datetime | None
    """The time of the latest attempt."""
    last_delivered_at: datetime | None
    """The time of the latest success."""
    next_attempt_at: datetime | None
    """The time of the next retry."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When its settings last changed."""


class WebhookDelivery(Model):
    delivery_id: str
    """The attempt’s id."""
    message_id: str
    """The `webhook-id` of the message; the same for all its attempts."""
    attempted_at: datetime
    """When it was sent."""
    outcome: Literal["delivered", "failed"] | str
    status_code: int | None
    """The status code of the endpoint; null without a response."""
    reason: str | None
    """The reason for the failure, as a stable code."""
    detail: str | None
    """The reason in a sentence."""
    changes: int
    """Number of changes in the message."""
    duration_ms: int
    """Milliseconds until the response or the timeout."""


class WebhookDeliveryPage(Model):
    deliveries: list[WebhookDelivery]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class WebhookPage(Model):
    webhooks: list[Webhook]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""
