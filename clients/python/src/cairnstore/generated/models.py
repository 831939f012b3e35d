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
    """The job that takes it in."""
    status: Literal["queued"] | str
    encrypted: bool
    sandbox_id: str
    """The sandbox it goes to."""
    project_id: str | None
    """The project it was given, if any."""
    status_url: str
    """Where to ask how far it is."""


class Account(Model):
    user_id: str
    """The account’s id."""
    display_name: str
    """Its name for people."""
    status: Literal["active", "suspended"] | str
    created_at: datetime
    """When it was made."""


class AccountLimits(Model):
    max_sandboxes: int | None
    """Sandboxes of the tier, archived ones too; null is unlimited."""
    account_ingest_records_per_minute: int | None
    """Records that they take in together in a minute; null is unlimited."""
    account_queries_per_minute: int | None
    """Queries that they answer together in a minute; null is unlimited."""
    account_reads_per_minute: int | None
    """Reads of entities, records and exports that they answer together in a minute; null is unlimited."""


class AccountPage(Model):
    accounts: list[Account]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class AccountUsageModel(Model):
    """What a language model used; all zero where none is configured."""
    input_tokens: int
    output_tokens: int
    cost_usd: float


class AccountUsageModelBudget(Model):
    tokens_per_day: int
    used_today: int
    """Tokens that calls of type `write` read and wrote today."""
    left_today: int
    resets_at: datetime
    """When the next day begins, UTC."""


class AccountUsageSummary(Model):
    """What models used together."""
    total_prompt_tokens: int
    total_completion_tokens: int
    total_tokens: int
    total_cost_usd: float
    total_calls: int


class AccountUsageLimits(Model):
    """What all your sandboxes of a tier may use together; each has its own `limits` as well."""
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
    """Records taken in."""
    model: AccountUsageModel
    """What a language model used; all zero where none is configured."""
    model_budget: AccountUsageModelBudget | None
    """Tokens of the language model that each account has a day (`CAIRN_MODEL_DAILY_TOKENS`); null if there is no such limit. When they are used up, answers are passages of records, with a warning."""
    summary: AccountUsageSummary
    """What models used together."""
    by_model: list[ModelUsage]
    """The same by model, what cost most first."""
    by_call_type: list[CallTypeUsage]
    """The same by what models were called for."""
    limits: AccountUsageLimits
    """What all your sandboxes of a tier may use together; each has its own `limits` as well."""


class AnswerPage(Model):
    answers: list[AnswerSummary]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class AnswerSummary(Model):
    answer_id: str
    """The id that the reply had."""
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
    """The key’s id, to revoke it by."""
    name: str
    key_prefix: str
    """The first characters of the key, to recognise it by."""
    expires_at: datetime | None = None
    """When it stops working."""
    created_at: datetime
    """When it was made."""
    member_id: str | None = None
    """The member that the key acts as; null for a key of the account."""
    last_used_at: datetime | None = None
    """When it last opened a request."""
    use_count: int
    """Requests it has opened."""
    is_expired: bool


class AuditEvent(Model):
    seq: int
    """Its place in the log, counted from 1 without gaps."""
    at: datetime
    """When it happened."""
    event: str
    """What happened, such as `source.created`."""
    actor_user_id: str | None
    """The account or member that did it; null for the operator."""
    credential_id: str | None
    """The credential: the id of a key or session, `jwt_…` for a token, `admin_key`, or null for the service."""
    subject_id: str | None
    """What it was done to."""
    request_id: str | None
    """The request that did it."""
    previous_hash: str
    """The hash of the event before, zeros for the first; hexadecimal."""
    hash: str
    """SHA-256 of all that this event says and of `previous_hash`; hexadecimal."""


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
    """`write`, `rerank`, `embed`, `vision` or `transcribe`; `unknown` for what was counted without its type."""
    prompt_tokens: int
    """Tokens that were sent."""
    completion_tokens: int
    """Tokens that came back."""
    total_tokens: int
    cost_usd: float
    """At the prices that are configured, in US dollars."""
    calls: int


class Change(Model):
    change: Literal["added", "changed", "removed", "merged"] | str
    """`merged`: the entity is one with `into` from then on."""
    kind: Literal["record", "entity"] | str
    id: str
    """Of the record or the entity."""
    into: str | None = None
    """The entity that a merged one became."""
    type: str | None = None
    """Its kind, where it is known still."""
    title: str | None = None
    """The record’s title or the entity’s name, as it is now."""
    url: str | None = None
    """Where the record is at its source."""
    occurred_at: datetime | None = None
    """When what the record tells happened."""
    source_id: str | None = None
    """The source that the record came through."""
    changed_at: datetime
    """When the commit was made."""


class ChangePage(Model):
    changes: list[Change]
    count: int
    """Changes in this reply."""
    next_cursor: str
    """Give it as `since` to read on, now or whenever more may have changed."""
    has_more: bool
    """Whether there is more already."""


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
    """A label, for you."""
    expires_at: datetime | None = None
    """When it ends by itself."""
    revoked_at: datetime | None = None
    """When it was revoked."""
    created_by: str
    """The account that made it."""
    created_at: datetime
    """When it was made."""
    status: Literal["active", "revoked", "expired"] | str


class ConnectionKey(Model):
    api_key_id: str
    """The key’s id; DELETE /api/v1/api-keys/{key_id} revokes this key alone."""
    plaintext_key: str | None
    """The key itself, shown this once."""
    key_prefix: str
    """The first characters of the key, to recognise it by."""
    expires_at: datetime | None = None
    """When its connection ends by itself."""
    warning: str
    """That the key is shown only here."""


class ConsideredStatement(Model):
    record_id: str
    """The record."""
    start: int
    """Its first UTF-16 code unit in the record’s `text`."""
    end: int
    """The code unit behind its last; 0 for a statement made from fields or relations."""
    text: str
    score: float
    """The probability that it answers the question, from 0 to 1."""
    rank: int
    """1 for the best."""
    chosen: bool
    """True if the answer contains it."""
    reason: str
    """Why it was chosen or not."""


class ConsoleCode(Model):
    code: str | None
    """Signs in to the console, once."""
    url: str | None = None
    """The console with the code in its fragment; null where the console is not served."""
    expires_at: datetime
    """When it stops being good: ten minutes after it was made."""


class ConsoleSignedIn(Model):
    api_key: str | None
    """An API key of the account, listed and revocable like any other; null with `cookie`."""
    expires_at: datetime
    """When the key or the session ends: twelve hours after the exchange."""


class ContextPassage(Model):
    text: str
    """Whole sentences without markup; fields of a record as `name: value`."""
    record_id: str
    """The record that says so."""
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
    """Its name for people."""
    key: str | None
    """Its first API key, shown this once."""


class CreatedAccountKey(Model):
    id: str
    """The key’s id, to revoke it by."""
    name: str
    key_prefix: str
    """The first characters of the key, to recognise it by."""
    expires_at: datetime | None = None
    """When it stops working."""
    created_at: datetime
    """When it was made."""
    member_id: str | None = None
    """The member that the key acts as; null for a key of the account."""
    key: str | None
    """The key itself, shown this once."""
    warning: str
    """That the key is shown only here."""
    user_id: str
    """The account’s id."""
    keys_kept: int
    """Other keys of the account that go on working until they expire."""
    keys_revoked: int
    """Other keys of the account that were revoked with this."""


class CreatedApiKey(Model):
    id: str
    """The key’s id, to revoke it by."""
    name: str
    key_prefix: str
    """The first characters of the key, to recognise it by."""
    expires_at: datetime | None = None
    """When it stops working."""
    created_at: datetime
    """When it was made."""
    member_id: str | None = None
    """The member that the key acts as; null for a key of the account."""
    key: str | None
    """The key itself, shown this once."""
    warning: str
    """That the key is shown only here."""


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
    """When it was made."""
    expires_at: datetime
    """When it expires: 7 days after it was made."""
    url: str | None
    """The link to send to the person. It works once."""


class DeclaredEntity(Model):
    type: str
    """Its kind, for example `person` or `issue`."""
    name: str
    """Its name."""
    aliases: list[str] | None = None
    email: str | None = None
    """Its e-mail address, for short: kept, and shown, as the `email` of its identifiers."""
    identifiers: dict[str, list[str] | str] | None = None
    """What names it for certain: `email`, `login`, `url`, `key` and others."""
    properties: dict[str, Any] | None = None
    """Whatever else is known of it."""


class DeclaredRelationSubject(Model):
    type: str | None = None
    """Its kind, for example `person` or `issue`."""
    name: str
    """Its name."""
    aliases: list[str] | None = None
    email: str | None = None
    """Its e-mail address, for short: kept, and shown, as the `email` of its identifiers."""
    identifiers: dict[str, list[str] | str] | None = None
    """What names it for certain: `email`, `login`, `url`, `key` and others."""
    properties: dict[str, Any] | None = None
    """Whatever else is known of it."""


class DeclaredRelationObject(Model):
    type: str | None = None
    """Its kind, for example `person` or `issue`."""
    name: str
    """Its name."""
    aliases: list[str] | None = None
    email: str | None = None
    """Its e-mail address, for short: kept, and shown, as the `email` of its identifiers."""
    identifiers: dict[str, list[str] | str] | None = None
    """What names it for certain: `email`, `login`, `url`, `key` and others."""
    properties: dict[str, Any] | None = None
    """Whatever else is known of it."""


class DeclaredRelation(Model):
    subject: str | DeclaredRelationSubject
    """The one entity."""
    predicate: str
    """What holds between them, for example `works_for`."""
    object: str | DeclaredRelationObject
    """The other entity, or a plain value such as a date."""
    valid_from: datetime | None = None
    """Since when it holds."""
    valid_to: datetime | None = None
    """Until when it held."""


class DeletedCounts(Model):
    sql: int
    """Rows of the control plane."""
    records: int
    entities: int
    links: int
    objects: int
    """Files, or objects of the object store."""


class DeletedSandbox(Model):
    success: Literal[True]
    message: str
    """What happened, in a sentence."""
    deleted: DeletedCounts


class DeliveryAnswer(Model):
    status: Literal["duplicate", "challenge"] | str | None = None
    """Why there is an answer at all."""
    challenge: str | None = None
    """What the provider sent to see whether this address answers."""


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
    """Echo, or null for the whole sandbox."""
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
    """Where in its document the snippet stands: `p. 12`, `#limits/retries`."""
    canonical_ids: list[str]
    """Its entities, the most specific first, then the record itself."""
    subgraph: dict[str, Any] | None = None
    """The neighbourhood it was found in."""
    matched_query_nodes: list[str] | None = None
    """Names of the question that led here."""
    file_paths: list[str] | None = None
    occurred_at: datetime | None = None
    """When it happened."""
    source_id: str | None = None
    record_id: str | None = None
    external_id: str | None = None
    why: dict[str, float] | None = None
    """Score of each ranking signal; only with `explain`."""


class Done(Model):
    """The verb took effect."""
    success: Literal[True]
    message: str
    """What happened, in a sentence."""


class Entity(Model):
    canonical_id: str
    """The id by which it is pinned and cited."""
    sandbox_id: str
    """The sandbox it is in."""
    name: str
    type: str
    names: list[str]
    """Every name it has, the most telling first."""
    identifiers: dict[str, list[str]]
    """What names it for certain, by kind."""
    properties: dict[str, Any]
    """What records say of it."""
    evidence: list[EntityEvidence]
    """Which records give it its names, identifiers and properties."""
    relations: list[EntityRelation]
    records: list[RecordSummary]
    """The latest records about it."""
    record_count: int
    merge_history: list[EntityMerge]
    """How it came together."""
    created_at: datetime | None = None
    """When it was first seen."""


class EntityDecision(Model):
    success: bool
    message: str
    canonical_id: str
    """The merged entity; after a split or an undo, the one that is its own now."""
    merge_id: str | None
    """The entry of the ledger; null when nothing had to change."""


class EntityEvidence(Model):
    kind: Literal["name", "identifier", "property"] | str
    key: str
    """The kind of the identifier, the name of the property."""
    value: Any
    """What they say; of a property the latest value."""
    record_ids: list[str]
    """At most five records, the latest last."""


class EntityHit(Model):
    canonical_id: str
    """The id by which it is pinned and cited."""
    name: str
    similarity: float
    """From 0 to 1; 1 is the same name."""
    record_type: str
    """The entity’s kind."""


class EntityHits(Model):
    results: list[EntityHit]


class EntityMerge(Model):
    merge_id: str
    """The id by which it can be undone."""
    kind: Literal["identifier", "name", "alike", "person", "split"] | str
    """What it rests on: a shared identifier, a shared name, likeness, or a person’s decision."""
    from_: str = Field(alias="from")
    """The id that was merged away, or that was split."""
    into: str
    """The id that remained, or that the split made."""
    reason: str
    """Why, in a few words."""
    evidence: dict[str, Any]
    """What showed it."""
    decided_by: str | None
    """The account that decided it; null when no person did."""
    merged_at: datetime
    """When."""
    undone_at: datetime | None
    """When it was taken back."""
    undone_by: str | None
    """The account that took it back."""


class EntityPage(Model):
    entities: list[EntitySummary]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""
    resolution: Literal["settled", "pending", "failed"] | str
    """`pending` while things that came lately are still being compared with others of their type; `failed` when the last comparison ended in an error, after which it is made again, or left something out: a pair that cannot be compared counts as two things and holds nothing up. `/metrics` counts what failed."""


class EntityProfile(Model):
    sandbox_id: str
    """Echo."""
    canonical_id: str
    name: str
    type: str
    text: str
    """What it is, what holds of it now, and what changed last."""
    tokens: int
    """What the text takes, in UTF-8 bytes divided by 4, rounded up."""
    statements: list[ToldStatement]
    """The lines of the text, each with its records."""


class EntityRelationSpan(Model):
    start: int
    end: int
    confidence: float


class EntityRelation(Model):
    predicate: str
    direction: Literal["out", "in"] | str
    """`out`: this entity is the subject."""
    canonical_id: str | None = None
    """The other entity, when it is known."""
    name: str
    """The other entity’s name."""
    valid_from: str | None = None
    valid_to: str | None = None
    stated_at: datetime | None = None
    """When the record that states it happened: since then it is known."""
    is_current: bool
    """Whether it holds now: it has begun, has not ended, and nothing newer in scope has taken its place."""
    superseded_by: str | None = None
    """The record that states what took its place."""
    record_id: str | None = None
    """The record that states it."""
    span: EntityRelationSpan | None = None
    """Where the record’s text says it, in UTF-16 code units, and how sure that is; null when declared."""


class EntitySummary(Model):
    canonical_id: str
    """The id by which it is pinned and cited."""
    name: str
    """Its most telling name."""
    type: str
    """Its kind."""
    record_count: int | None = None
    """Records about it, in scope."""
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
    """Questions that it was started with."""
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
    """Its place in the request, from 1."""
    question: str
    """The current question."""
    expected: str | None = None
    """The expected answer. `|` separates alternatives of which one is enough."""
    record: str | None = None
    """The ids of the records that should be cited, separated by spaces."""
    unanswerable: bool | None = None
    """True if the sandbox does not hold the answer."""
    grade: Literal["right", "partly", "wrong", "rightly_unanswered", "wrongly_unanswered", "ungraded"] | str | None
    """Null until it is asked."""
    graded_by: Literal["match", "model"] | str | None = None
    """The grader."""
    outcome: Literal["answered", "closest", "nothing"] | str | None = None
    answer: str | None = None
    """The answer, as it was given."""
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
    """Time that the answer took, in milliseconds."""


class EvaluationSettings(Model):
    project_id: str | None = None
    """Only what is in this project; the whole sandbox when omitted."""
    preset: str | None = None
    """The search preset. `max` is reserved (403). The name of a model (`vendor/name`, `name:variant`), as other services take one here, counts as `auto`, with a `Warning`. `auto` when omitted."""
    reference_date: str | None = None
    """The reference for relative dates such as `today`: a day, or a moment with its UTC offset. Default: the current day."""
    time_zone: str | None = None
    """The time zone in which days begin and end: an IANA name or a UTC offset. Default: the offset of `reference_date`, else UTC."""
    detail_level: Literal["concise", "detailed"] | str | None = None
    """Length of the answers."""
    writer: bool | None = None
    """Lets the configured language model write. Without one it does nothing. `true` when omitted."""
    judge: bool | None = None
    """Lets the configured language model grade the answers that do not match the expected one. 409 if no model is configured, and in a sandbox under a caller’s key. `false` when omitted."""


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
    """Questions that it was started with."""
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
    """Its line, or its place in what was sent, counted from 1."""
    file: str | None = None
    """The file of an archive that it stands in."""
    external_id: str | None = None
    reason: str
    """A stable code."""
    detail: str
    """What is wrong, in a sentence."""


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
    """When it was said."""


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
    """When it was said."""
    query: str
    """The question."""
    outcome: Literal["answered", "closest", "nothing"] | str
    answer: str
    """The answer, as it was given."""
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
    """Best first, no sentence twice."""
    tokens: int
    """Size with titles, in UTF-8 bytes divided by 4, rounded up."""
    citations: list[InterpretCitation]
    """The records that they come from, one for each, the passages taken for statements."""
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
    """When it was made."""


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
    """When it was made."""


class GroupRolePage(Model):
    group_roles: list[GroupRole]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class Health(Model):
    status: Literal["ok", "unavailable"] | str
    warnings: list[str] | None = None
    """What an operator has to do something about; absent where there is nothing."""


class ImportedFile(Model):
    path: str
    """Its path, with those of the archives that it lies in."""
    status: Literal["read", "unchanged", "left_out", "failed"] | str
    """`unchanged` when all of it was stored before; `left_out` when it holds nothing that is read here; `failed` when it could not be read, or not to its end."""
    reason: str | None = None
    """Why it was not read, as a stable code."""
    records: int
    """Records that came of it."""


class InterpretCitation(Model):
    canonical_id: str
    name: str
    type: str | None = None
    """The kind of the entity or of the record."""
    relevance: float
    """Above 0, at most 1. The statements of a brief weigh 1, ½, ¼ … in their order; the weight of those that rest on it, as a share of the most that any citation has."""
    record_ids: list[str]
    """At most 10 records that carry it: its own first, then as the brief tells of them."""
    title: str | None = None
    """Of the first of these records that has one."""
    url: str | None = None
    """Of the first of these records that has one."""
    spans: list[TextSpan] | None = None
    """At most 10: what the statements were taken from, in these records."""


class Interpretation(Model):
    answer_id: str | None = None
    """The id of the stored answer. Absent if it is not stored: with `store: false`, with `as_user`, in a sandbox without records, where the service keeps no answers, and with a warning if storing it failed."""
    outcome: Literal["answered", "closest", "nothing"] | str
    """`answered`: the passages answer the question. `closest`: one sentence names the missing information, followed by at most two related passages. `nothing`: only that sentence."""
    answered: bool
    """True if `outcome` is `answered`. Zero and "no" count as answers."""
    nearest: list[RecordPointer] | None = None
    """Where nothing answers, at most three records that came nearest."""
    considered: list[ConsideredStatement] | None = None
    """At most 24 statements, best first; only with `explain`."""
    threshold: float | None = None
    """The probability that the records answer the question, from which on they are taken to answer it; only with `explain`. It is about the whole question, and not comparable with the `score` of one statement."""
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
    statements: list[ToldStatement] | None = None
    """The statements of the answer; with `statements` or `explain`."""
    records: list[RecordPointer] | None = None
    """The first 10 records that what is told rests on, in the order in which it is told; only with `explain`."""
    intent: QuestionIntent | None = None
    project_id: str | None = None
    """Echo, or null for the whole sandbox."""


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
    """When it was made."""
    expires_at: datetime
    """When it expires: 7 days after it was made."""
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
    """What kind of work it is."""
    encrypted: bool
    """Whether its content is under the caller’s key."""
    sandbox_id: str | None = None
    """The sandbox it works on."""
    source_id: str | None = None
    """The source it works on; not for who is limited to a project."""
    result: JobResult | None = None
    error_message: str | None = None
    """Why it failed or waits."""
    retry_count: int
    children: list[str] | None = None
    """Jobs it was split into."""
    created_at: datetime
    """When it was accepted."""
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
    """Records that came."""
    expected: int | None = None
    """Of tables, lists, calendars and address books: records that are known to come, counted before the first of a file is written. Each of them counts against `max_records`, as each part of a long document does."""
    written: int | None = None
    """Records added or replaced."""
    unchanged: int | None = None
    """Records that were the same as before."""
    removed: int | None = None
    """Records removed."""
    failed: int | None = None
    """Records that failed alone."""
    record_id: str | None = None
    """The record, of a job that brought one; once it is applied."""
    errors: list[FailedRecord] | None = None
    """The first of those that failed."""
    files: list[ImportedFile] | None = None
    """Of an import, at most 100 of its files, those that were not read first; the run of its source lists all. Under a caller’s key only with the key."""


class KnowledgeRecordAuthor(Model):
    type: str | None = None
    """Its kind, for example `person` or `issue`."""
    name: str
    """Its name."""
    aliases: list[str] | None = None
    email: str | None = None
    """Its e-mail address, for short: kept, and shown, as the `email` of its identifiers."""
    identifiers: dict[str, list[str] | str] | None = None
    """What names it for certain: `email`, `login`, `url`, `key` and others."""
    properties: dict[str, Any] | None = None
    """Whatever else is known of it."""


class KnowledgeRecordParticipants(Model):
    type: str | None = None
    """Its kind, for example `person` or `issue`."""
    name: str
    """Its name."""
    aliases: list[str] | None = None
    email: str | None = None
    """Its e-mail address, for short: kept, and shown, as the `email` of its identifiers."""
    identifiers: dict[str, list[str] | str] | None = None
    """What names it for certain: `email`, `login`, `url`, `key` and others."""
    properties: dict[str, Any] | None = None
    """Whatever else is known of it."""


class KnowledgeRecordOwner(Model):
    type: str | None = None
    """Its kind, for example `person` or `issue`."""
    name: str
    """Its name."""
    aliases: list[str] | None = None
    email: str | None = None
    """Its e-mail address, for short: kept, and shown, as the `email` of its identifiers."""
    identifiers: dict[str, list[str] | str] | None = None
    """What names it for certain: `email`, `login`, `url`, `key` and others."""
    properties: dict[str, Any] | None = None
    """Whatever else is known of it."""


class KnowledgeRecordLocators(Model):
    start: int
    """A UTF-16 code unit of `text`."""
    locator: str
    """Where that is in the document: `p. 12`, `slide 4`, `Sheet1!A5:F9`, `00:12:31`."""


class KnowledgeRecordMentions(Model):
    text: str
    """As it is written."""
    start: int
    """Its first UTF-16 code unit in `text`."""
    end: int
    """The code unit behind its last."""
    canonical_id: str
    """The entity that it is taken for."""
    type: str
    """What it is taken to be: person, organization, place, work, project, incident, or thing where nothing tells."""
    confidence: float
    """From 0 to 1: how sure it is that this is a name."""


class KnowledgeRecordFacts(Model):
    subject: str
    """Whom it is about, as the record calls them."""
    predicate: str
    object: str
    """A name or words of the text; of a date the day as YYYY-MM-DD."""
    valid_from: str | None = None
    """Since when it holds, where the text says so; else since the record."""
    start: int
    """Where `text` states it: its first UTF-16 code unit."""
    end: int
    """The code unit behind its last."""
    confidence: float
    """From 0 to 1."""


class KnowledgeRecord(Model):
    record_id: str
    """The record’s id, a canonical id too."""
    sandbox_id: str
    """The sandbox it is in."""
    source_id: str | None = None
    """The source it came through."""
    external_id: str | None = None
    type: str
    title: str | None = None
    text: str | None = None
    url: str | None = None
    occurred_at: datetime | None = None
    """When it happened."""
    author: str | KnowledgeRecordAuthor | None = None
    """Who made it: a name, or a person, for example `{"name": …, "email": …}`."""
    participants: list[str | KnowledgeRecordParticipants] | None = None
    entities: list[DeclaredEntity] | None = None
    relations: list[DeclaredRelation] | None = None
    properties: dict[str, Any] | None = None
    """Typed fields of the record."""
    phase: Literal["open", "doing", "done", "dropped"] | str | None = None
    """How far the work has come, by the category of its tool."""
    owner: str | KnowledgeRecordOwner | None = None
    """Who answers for it: a name, or a person with identifiers."""
    due: str | None = None
    """Until when it is to be done."""
    kind: str | None = None
    """What it is to people, in a word: bug, decision, invoice."""
    basis: Basis | None = None
    locators: list[KnowledgeRecordLocators] | None = None
    """By `start`, each after the one before; each holds up to the next."""
    project_id: str | None = None
    """The project it names itself."""
    canonical_ids: list[str] | None = None
    """The entities it is about, then itself."""
    mentions: list[KnowledgeRecordMentions] | None = None
    """The names that stand in its text, in order; none overlap."""
    facts: list[KnowledgeRecordFacts] | None = None
    """What its text states of people and things, in order."""
    created_at: datetime | None = None
    """When it was taken in."""
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
    """Records taken in a minute; null is unlimited."""
    queries_per_minute: int | None
    """Queries answered in a minute; null is unlimited."""
    reads_per_minute: int | None
    """Reads of entities, records and exports answered in a minute; null is unlimited."""


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
    """The member’s name for people."""
    email: str | None
    """The address of the invitation or of the identity provider."""
    role: Literal["owner", "admin", "member", "viewer"] | str
    """Owners and admins use all sandboxes of the account, members the ones that they made or were granted, viewers read the ones that they were granted."""
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
    """The id by which it is accepted or dismissed."""
    state: Literal["open", "accepted", "dismissed"] | str
    """`open` until a person decides; `accepted`: they are one; `dismissed`: they stay two whatever comes."""
    entities: list[EntitySummary]
    """The two, the one that remains when it is accepted first; of one that was accepted, what they became."""
    likelihood: float
    """How likely they are one."""
    reason: str
    """Why, in a few words."""
    evidence: dict[str, Any]
    """In what the two agree and differ."""
    suggested_at: datetime
    """When."""
    decided_at: datetime | None
    """When a person decided it."""
    decided_by: str | None
    """The account that decided it."""
    merge_id: str | None
    """The merge that accepting it made, by which it can be undone."""


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
    """Tokens that were sent."""
    completion_tokens: int
    """Tokens that came back."""
    total_tokens: int
    cost_usd: float
    """At the prices that are configured, in US dollars."""
    calls: int


class Neighbour(Model):
    canonical_id: str
    name: str
    type: str
    depth: int
    """Steps from the entity that was asked for, which has 0."""
    record_count: int
    """Records about it, in scope."""


class NeighbourEdge(Model):
    from_: str = Field(alias="from")
    """The subject’s id."""
    to: str
    """The object’s id."""
    predicate: str | None
    """What is stated; null: records are about both."""
    valid_from: str | None = None
    valid_to: str | None = None
    stated_at: datetime | None = None
    """When the record that states it happened."""
    is_current: bool | None = None
    """Whether what is stated holds now."""
    record_count: int
    """Records that state it, or that are about both, of those that were looked at."""
    record_ids: list[str]
    """At most five of them."""


class Neighbourhood(Model):
    sandbox_id: str
    """Echo."""
    canonical_id: str
    nodes: list[Neighbour]
    """The entity itself, then the nearest first."""
    edges: list[NeighbourEdge]
    """Between these nodes alone; what is stated before what is shared."""


class Origin(Model):
    canonical_id: str
    """As asked."""
    files: list[OriginFile]
    """Files that its records name, those of most records first: entities of type `file`, and the properties `path`, `file_path`, `file_paths` and `files`."""
    records: list[RecordSummary]
    """Records that carry it: its own first, then those that name it most."""


class OriginFile(Model):
    file_path: str
    extraction_count: int
    """Records of the id that name the file."""


class Origins(Model):
    sandbox_id: str
    """Echo."""
    origins: list[Origin]
    """One for each id, in the order asked."""


class Outcome(Model):
    data_source_id: str | None
    """The source; null when nothing was registered."""
    status: Literal["active", "paused", "disconnected", "error", "archived"] | str | None
    name: str | None
    ingestion_mode: Literal["realtime", "polling", "batch", "manual"] | str | None
    health_error: str | None
    """Why the check failed: blocked_address, dns_failed, connect_failed, tls_failed, timeout, auth_rejected, rate_limited, protocol_error, response_too_large, too_many_tools, allowed_tool_missing, needs_authorization, needs_scopes. Null when it did not."""
    error: str | None
    """Null: a refusal is answered with 400, and has it."""
    detail: str | None
    """Null: a refusal has it."""
    authorization: McpAuthorization | None = None


class OverviewTypes(Model):
    type: str
    record_count: int


class OverviewSources(Model):
    source_id: str | None
    """Null for what came through no source that is shown."""
    name: str | None = None
    provider: str | None = None
    status: str | None = None
    record_count: int
    newest_at: datetime | None
    """When the latest of its records happened."""
    last_sync_at: datetime | None = None
    """When something last came through it."""


class OverviewEntitiesEntities(Model):
    canonical_id: str
    name: str
    record_count: int


class OverviewEntities(Model):
    type: str
    entities: list[OverviewEntitiesEntities]
    """Those that most records hold, the first of them first."""


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
    """Kinds of records, those of most records first."""
    sources: list[OverviewSources]
    """Sources in scope, those of most records first."""
    newest: RecordSummary | None = None
    oldest: RecordSummary | None = None
    entities: list[OverviewEntities]
    """The most connected entities by their kind."""
    topics: list[OverviewTopics]
    """What people talk of beside these: names that recur, those of most records first."""


class Profile(Model):
    user_id: str
    """The platform account: `acct_…`, or the subject of the account’s tokens."""
    display_name: str | None
    """The account’s name for people."""
    member_id: str | None = None
    """The member of the account who asks; null for the account itself."""
    sandbox_id: str | None = None
    """The primary sandbox, used by the ingest shorthand: the one that you set, else your only active one."""
    project_id: str | None = None
    """The default project of the ingest shorthand."""


class Project(Model):
    project_id: str
    """The project’s id."""
    user_id: str
    """The platform account that holds it."""
    sandbox_id: str
    """The sandbox it is in."""
    name: str
    status: Literal["active", "archived"] | str
    description: str | None = None
    data_source_ids: list[str] | None = None
    """The sources linked to it."""
    metadata: dict[str, Any] | None = None
    """Yours, as given."""
    created_at: datetime | None = None
    """When it was made."""


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
    """The issuer; absent where none is configured."""
    scopes_supported: list[Literal["cairn:read", "cairn:write"] | str]
    bearer_methods_supported: list[Literal["header"] | str]


class Provider(Model):
    provider: str
    """The value of `provider` that means it."""
    aliases: list[str]
    """Other values that mean it."""
    name: str
    """Its name for people."""
    ways: list[ProviderWay]


class ProviderWay(Model):
    ingestion_mode: Literal["realtime", "polling"] | str
    """The product delivers to a webhook, or it is read."""
    path: str
    """Where a source of it is registered, under the sandbox’s address."""
    credential: str | None
    """The field of the registration that takes the product’s secret; null where it has none."""
    forms: list[str]
    """The forms of body that its webhook takes."""
    settings_in: str | None
    """The field of the registration that takes the settings; null: they are its fields."""
    settings: dict[str, Any]
    """What can be set, as a JSON Schema."""


class Providers(Model):
    providers: list[Provider]
    count: int


class PulledSource(Model):
    job_id: str
    """The job that does it: the one that waits or is under way, when there is one."""
    job_type: Literal["data_source_pull"] | str
    status: Literal["queued"] | str


class PurgedSource(Model):
    success: bool
    """True: what failed has an error instead."""
    delete_source_applied: bool
    """Whether the registration is removed too."""
    events_deleted: int
    """Records."""
    extractions_deleted: int
    """Relations that only these records stated."""
    canonical_index_rows_deleted: int
    """Entities that only these records supported."""
    entity_vectors_deleted: int
    """0: there is no such thing here."""
    triggers_deleted: int
    """0: there is no such thing here."""
    webhooks_deleted: int
    """Secrets of its webhook, with `delete_source`."""
    event_seen_deleted: int
    """0: there is no such thing here."""
    project_links_deleted: int
    """Projects that it was linked to, with `delete_source`."""
    strategy_artifacts_deleted: int
    """0: there is no such thing here."""
    pull_artifacts_deleted: int
    """0: there is no such thing here."""
    user_strategies_deleted: int
    """0: there is no such thing here."""
    vault_objects_deleted: int
    """Files, or objects of the object store."""


class QuestionIntentParts(Model):
    text: str
    """With the subject that it leaves to an earlier part."""
    kind: str
    """The kind of answer: `who`, `when`, `why` and others."""
    terms: list[str]
    """The search terms, as indexed."""
    names: list[str]
    """Names of entities in it."""
    people: list[str]
    """Those of the names that people have."""


class QuestionIntentTimes(Model):
    from_: datetime | None = Field(alias="from")
    """From when on."""
    until: datetime | None
    """Until just before when."""


class QuestionIntent(Model):
    """The interpretation of the question; only with `explain`."""
    text: str
    """The question in the words of the records where it has slips of the pen."""
    parts: list[QuestionIntentParts]
    """Its parts in order; at least one."""
    times: list[QuestionIntentTimes]
    """The times it asks about; none when it asks about any."""
    broad: Literal["courtesy", "everything", "thing"] | str | None = None
    """The kind of a question that asks for no single fact."""
    event: str | None = None
    """The words by which an event tells the time."""
    subject: str | None = None
    """The subject from earlier questions."""
    asks_rows: bool
    """True for a count, a list, groups or an extreme of an existing kind of records."""
    notes: list[str]
    """Assumptions made in interpreting it, as sentences."""


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
    """Its title, or how its text begins."""
    url: str | None = None
    """Where it is at its source."""
    occurred_at: datetime | None = None
    """When it happened."""
    source_name: str | None = None
    """The name of the source that it came through."""
    path: str | None = None
    """Its file at the source, where it is one."""
    locator: str | None = None
    """Where in its document it says the first of what is told of it."""


class RecordSummary(Model):
    record_id: str
    """The record’s id, a canonical id too."""
    external_id: str | None = None
    type: str | None = None
    title: str | None = None
    snippet: str | None = None
    """The beginning of its text, at most 300 characters."""
    author: str | None = None
    """Who made it, by name."""
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
    """Its own bucket; its owner alone sees it."""
    bucket: str
    region: str
    endpoint: str | None
    """Null is AWS."""
    prefix: str
    """Without a slash at its ends."""


class Sandbox(Model):
    sandbox_id: str
    """The sandbox’s id."""
    user_id: str
    """The platform account that holds it."""
    owner_id: str
    """The identifier you gave, echoed and never interpreted."""
    name: str
    tier: Literal["free", "pro", "enterprise"] | str
    status: Literal["active", "suspended", "archived"] | str
    storage_provider_type: Literal["platform_s3", "custom_s3"] | str
    storage: SandboxStorage | None = None
    """Its own bucket; its owner alone sees it."""
    limits: Limits
    metadata: dict[str, Any] | None = None
    """Yours, as given."""
    created_at: datetime | None = None
    """When it was made."""
    access: Literal["viewer", "editor", "owner"] | str | None = None
    """Your role on it."""
    is_external: bool | None = None
    """Whether you reach it through a grant. `false` when omitted."""
    encrypted: bool | None = None
    """Whether its content is under a key that only its caller holds."""
    key_fingerprint: str | None = None
    """Recognises that key without revealing it."""


class SandboxPage(Model):
    sandboxes: list[Sandbox]
    count: int
    """Rows in this reply."""
    next_cursor: str | None = None
    """Present when there are more rows."""


class SearchAnswer(Model):
    answer_id: str | None = None
    """The id of the stored answer. Absent if it is not stored: with `store: false`, with `as_user`, in a sandbox without records, where the service keeps no answers, and with a warning if storing it failed."""
    outcome: Literal["answered", "closest", "nothing"] | str
    """`answered`: the passages answer the question. `closest`: one sentence names the missing information, followed by at most two related passages. `nothing`: only that sentence."""
    answered: bool
    """True if `outcome` is `answered`. Zero and "no" count as answers."""
    nearest: list[RecordPointer] | None = None
    """Where nothing answers, at most three records that came nearest."""
    considered: list[ConsideredStatement] | None = None
    """At most 24 statements, best first; only with `explain`."""
    threshold: float | None = None
    """The probability that the records answer the question, from which on they are taken to answer it; only with `explain`. It is about the whole question, and not comparable with the `score` of one statement."""
    answer: str
    """One or two paragraphs, every statement taken or computed from stored records."""
    citations: list[InterpretCitation]
    """At most 10, most relevant first."""
    statements: list[ToldStatement] | None = None
    """The statements of the answer; with `statements` or `explain`."""
    records: list[RecordPointer] | None = None
    """The first 10 records that what is told rests on, in the order in which it is told; only with `explain`."""
    unread: list[UnreadFile] | None = None
    """Where nothing answers, at most three files in scope that were not read in the last 30 days, whose name or kind fits the question."""
    intent: QuestionIntent | None = None
    preset: Literal["fast", "auto", "discover", "sql", "max"] | str
    """The preset that answered."""
    execution_time_ms: float
    """Time spent on it here, in milliseconds."""
    warnings: list[str]
    """Warnings about the answer, as sentences."""
    columns: list[str] | None = None
    """Of `rows`; only with the preset `sql`."""
    rows: list[list[str | float | bool | None]] | None = None
    """At most 100 rows that the answer tells of."""
    total_rows: int | None = None
    """Rows that there are, shown or not."""
    sandbox_id: str
    """Echo."""
    project_id: str | None
    """Echo, or null for the whole sandbox."""
    query: str
    """Echo."""


class SecretWebhook(Model):
    webhook_id: str
    """The endpoint’s id."""
    sandbox_id: str
    """Whose changes it is told of."""
    url: str
    """Where they are sent."""
    description: str | None
    """A label, for you."""
    events: list[Literal["record.added", "record.changed", "record.removed", "entity.added", "entity.changed", "entity.removed", "entity.merged"] | str]
    """What it is told of."""
    status: Literal["active", "paused", "disabled"] | str
    """`disabled` when it has failed for five days, or said itself that it is gone (410); `active` makes it go on where it stood."""
    disabled_reason: Literal["failing", "gone"] | str | None
    """Why it was disabled."""
    failures: int
    """Attempts that failed since the last that did not."""
    failing_since: datetime | None
    """When the first of them was made."""
    last_error: str | None
    """Why the latest failed; null when it did not."""
    last_attempt_at: datetime | None
    """When something was last sent."""
    last_delivered_at: datetime | None
    """When something last arrived."""
    next_attempt_at: datetime | None
    """When what failed is sent again."""
    created_at: datetime
    """When it was made."""
    updated_at: datetime
    """When its settings last changed."""
    signing_secret: str | None
    """What its messages are signed with, shown when it is made and rotated and never again."""


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
    """When the session ends, however much it is used: 12 hours after it began."""
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
    """The platform account that holds it."""
    sandbox_id: str
    """The sandbox it feeds."""
    provider: str
    name: str
    ingestion_mode: Literal["realtime", "polling", "batch", "manual"] | str
    status: Literal["active", "paused", "disconnected", "error", "archived"] | str
    kind: Literal["durable", "ephemeral"] | str | None = None
    """`durable` when omitted."""
    external_account_id: str | None = None
    """The account at the provider."""
    adapter_config: dict[str, Any] | None = None
    """The provider’s settings."""
    poll_interval_seconds: int | None = None
    webhook_url: str | None = None
    """Where a realtime source’s sender posts to."""
    webhook_signing_secret: str | None = None
    """The sender’s bearer secret, present only where it was just made."""
    last_sync_at: datetime | None = None
    """The latest successful ingest."""
    last_error: str | None = None
    """Why the latest pull failed, as a stable code; absent when it did not."""
    credential_under_key: bool | None = None
    """True when what opens the provider is under the caller’s key; absent otherwise."""
    authorization: McpAuthorization | None = None
    created_at: datetime | None = None
    """When it was registered."""


class SourceDelivery(Model):
    delivery_id: str
    """The delivery’s id here."""
    received_at: datetime
    """When it came."""
    fate: Literal["queued", "written", "unchanged", "ignored", "failed"] | str
    """`queued` until its records are applied; `written` when one of them was added, replaced or removed, `unchanged` when all said what was stored; `ignored` when it says nothing that a record could hold; `failed` when a record failed."""
    reason: str | None
    """Why, as a stable code: of what was ignored or failed, or is kept as it came."""
    detail: str | None
    """The same in a sentence."""
    records: int
    """Records that it came to."""


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
    """How far it is."""
    done: int
    """Records that are applied, or failed."""
    total: int | None
    """Records in all; null while more may arrive."""
    records_per_second: float | None
    """Since work on it began; null before."""


class SourceRun(Model):
    job_id: str
    """The job that did it."""
    job_type: str
    """What kind of work it was."""
    status: Literal["queued", "processing", "completed", "failed", "cancelled"] | str
    counts: SourceRunCounts
    progress: SourceRunProgress
    """How far it is."""
    error: str | None
    """Why it failed or waits."""
    created_at: datetime
    """When it was accepted."""
    started_at: datetime | None
    """When work on it began."""
    completed_at: datetime | None
    """When it ended."""
    files: list[ImportedFile] | None = None
    """Of an import of the last 30 days, at most 20 of its files, those that were not read first."""


class StoredAnswer(Model):
    answer_id: str
    """The id that the reply had."""
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
    statements: list[ToldStatement] | None = None
    """The statements of the answer; with `statements` or `explain`."""
    feedback: Feedback | None = None


class SuggestionDecision(Model):
    success: bool
    message: str
    canonical_id: str
    """What the two are now; of two that stay two, the first."""
    merge_id: str | None
    """The entry of the ledger; null when nothing had to change."""
    suggestion_id: str
    """The suggestion."""
    state: Literal["open", "accepted", "dismissed"] | str
    """`open` until a person decides; `accepted`: they are one; `dismissed`: they stay two whatever comes."""


class TextSpan(Model):
    record_id: str
    """The record."""
    start: int
    """Its first UTF-16 code unit in the record’s `text`."""
    end: int
    """The code unit behind its last."""
    locator: str | None = None
    """Where that is in its document: `p. 12`, `Sheet1!B7`, or the headings above, `#limits/retries`."""


class ToldStatement(Model):
    text: str
    record_ids: list[str]
    """The records that it is taken or computed from."""
    computed: str | None = None
    """The computation, with its fields or records."""
    spans: list[TextSpan] | None = None
    """Its spans in the texts; none if it is computed from fields."""


class TrackerOutcome(Model):
    data_source_id: str | None
    """The source; null when nothing was registered."""
    status: Literal["active", "paused", "disconnected", "error", "archived"] | str | None
    name: str | None
    ingestion_mode: Literal["realtime", "polling", "batch", "manual"] | str | None
    health_error: str | None
    """Why the check failed: blocked_address, dns_failed, connect_failed, tls_failed, timeout, auth_rejected, rate_limited, protocol_error, response_too_large, too_many_tools, allowed_tool_missing, needs_authorization, needs_scopes. Null when it did not."""
    error: str | None
    """Null: a refusal is answered with 400, and has it."""
    detail: str | None
    """Null: a refusal has it."""
    entities: list[Literal["teams", "users", "projects", "issues", "cycles"] | str]


class UnreadFile(Model):
    path: str
    """Its path, as it was brought."""
    reason: str
    """Why, as a stable code."""


class UsageReading(Model):
    """How far records have been read for what they mean."""
    model: str | None
    """What makes vectors; null where nothing does."""
    records: int
    """Records that have their vectors, and so are found by what they mean too."""
    waiting: int
    """Records that wait for theirs; they are found by their words."""


class UsageRereading(Model):
    """Records that an older version of the service stored are read anew at rest, so that they have blocks and say how they stand; until then they answer as before."""
    waiting: int
    """Records that wait to be read anew."""


class Usage(Model):
    max_data_sources: int
    """Sources that are neither disconnected nor archived."""
    max_projects: int
    """Projects."""
    max_storage_bytes: int
    """Bytes of the content of the records that are stored, as JSON in UTF-8."""
    max_records: int
    """Records that are stored."""
    ingest_records_per_minute: int
    """Records taken in during the last minute."""
    queries_per_minute: int
    """Queries answered in the last minute."""
    reads_per_minute: int
    """Reads of entities, records and exports in the last minute; 0 where nothing limits them."""
    reading: UsageReading
    """How far records have been read for what they mean."""
    rereading: UsageRereading
    """Records that an older version of the service stored are read anew at rest, so that they have blocks and say how they stand; until then they answer as before."""


class UsageBalance(Model):
    """Amounts are in microcents as existing clients count them, which are 10^-6 US dollars."""
    credits_purchased: Literal[0]
    credits_used: int
    """What models have cost the account since it began."""
    credits_remaining: Literal[0]
    currency: Literal["usd"]


class Webhook(Model):
    webhook_id: str
    """The endpoint’s id."""
    sandbox_id: str
    """Whose changes it is told of."""
    url: str
    """Where they are sent."""
    description: str | None
    """A label, for you."""
    events: list[Literal["record.added", "record.changed", "record.removed", "entity.added", "entity.changed", "entity.removed", "entity.merged"] | str]
    """What it is told of."""
    status: Literal["active", "paused", "disabled"] | str
    """`disabled` when it has failed for five days, or said itself that it is gone (410); `active` makes it go on where it stood."""
    disabled_reason: Literal["failing", "gone"] | str | None
    """Why it was disabled."""
    failures: int
    """Attempts that failed since the last that did not."""
    failing_since: datetime | None
    """When the first of them was made."""
    last_error: str | None
    """Why the latest failed; null when it did not."""
    last_attempt_at: datetime | None
    """When something was last sent."""
    last_delivered_at: datetime | None
    """When something last arrived."""
    next_attempt_at: datetime | None
    """When what failed is sent again."""
    created_at: datetime
    """When it was made."""
    updated_at: datetime
    """When its settings last changed."""


class WebhookDelivery(Model):
    delivery_id: str
    """The attempt’s id."""
    message_id: str
    """The `webhook-id` that it carried; the same for every attempt of a message."""
    attempted_at: datetime
    """When it was sent."""
    outcome: Literal["delivered", "failed"] | str
    status_code: int | None
    """What the endpoint answered; null without an answer."""
    reason: str | None
    """Why it failed, as a stable code."""
    detail: str | None
    """The same in a sentence."""
    changes: int
    """Changes that it told of."""
    duration_ms: int
    """Milliseconds until the answer, or until it was given up."""


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
