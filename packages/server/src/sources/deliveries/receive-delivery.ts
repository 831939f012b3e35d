import type { DeliveryAnswer } from '@cairnstore/contract'
import { sha256 } from '../../base/digest.ts'
import { Fault, invalid, unsupportedMedia } from '../../base/fault.ts'
import { type Chunk, toPayload, type WaitingRecord } from '../../ingest/inbox.ts'
import { checkRecord, toRecordContent } from '../../ingest/to-record-content.ts'
import { type RawBody, type Reply, reply } from '../../tenancy/handler.ts'
import type { BodyForm, Connector, Delivered, Mapped } from '../connectors/connector.ts'
import { connectorFor } from '../connectors/connector-for.ts'
import { mapUnrecognised } from '../connectors/json/json.ts'
import { moment } from '../connectors/pick.ts'
import type { Ignored } from '../connectors/to-record.ts'
import type { SourcesCtx } from '../context.ts'
import { type Admitted, admitDelivery } from './admit-delivery.ts'
import type { DeliveryOutcome } from './ingress/deliveries.ts'
import type { DeliverySource } from './ingress/delivery-source.ts'

/** Default rate limit of a source in deliveries per minute. */
const RATE_DEFAULT = 600
const RATE_MAX = 6_000

/**
 * Receives one delivery. It is durable on disk before the response is sent. The response is empty for a new delivery
 * and `duplicate` for a known one. Throws `unauthorized`, `rate_limited`, `disk_full` and the faults of a body. Throws
 * `gone`, `source_not_active` or `sandbox_not_active` if the source or its sandbox does not receive deliveries.
 */
export async function receiveDelivery(
  ctx: Omit<SourcesCtx, 'caller'>,
  slug: string,
  raw: RawBody,
): Promise<Reply<DeliveryAnswer | undefined>> {
  const { tally } = ctx.deliveries
  const admitted = await admitDelivery(ctx, slug, raw).catch((cause: unknown) => {
    // An unauthenticated sender counts as an unknown provider.
    tally.count('unknown', outcomeOf(cause))
    throw cause
  })
  const provider = providerOf(admitted.source)
  try {
    return await receiveAdmitted(ctx, admitted, raw)
  } catch (cause) {
    tally.count(provider, outcomeOf(cause))
    throw cause
  }
}

/** Returns the outcome to count for an error. */
function outcomeOf(cause: unknown): DeliveryOutcome {
  const status = cause instanceof Fault ? cause.status : SERVER_ERROR
  if (status >= SERVER_ERROR) return 'failed'
  return BY_STATUS[status] ?? 'invalid'
}

const SERVER_ERROR = 500
const BY_STATUS: Record<number, DeliveryOutcome> = { 401: 'refused', 409: 'inactive', 410: 'inactive', 429: 'limited' }

function providerOf({ provider }: DeliverySource): string {
  return connectorFor(provider).providers[0] as string
}

async function receiveAdmitted(
  ctx: Omit<SourcesCtx, 'caller'>,
  admitted: Admitted,
  raw: RawBody,
): Promise<Reply<DeliveryAnswer | undefined>> {
  const { deliveries } = ctx
  const { source } = admitted
  await ctx.diskSpace.assert()
  const headers = await takeRateSlot(ctx, source)
  const bytes = admitted.bytes ?? (await raw.bytes(source.userId))
  const connector = connectorFor(source.provider)
  const delivered = readDelivery(connector, source, raw, bytes)
  assertReceiving(source)
  const challenge = connector.challenge?.(delivered)
  if (challenge !== undefined) return reply(200, { status: 'challenge', challenge }, headers)

  const keys = deliveryKeys(connector, delivered, bytes)
  const { chunk, reason } = await mapDelivery(connector, source.provider, delivered, {
    eventHash: keys.eventHash,
    receivedAt: ctx.clock.now(),
  })
  const isUnreadable = reason === 'unreadable'
  if (isUnreadable) ctx.log.warn('delivery not read', { sourceId: source.sourceId, bytes: bytes.length })
  const payload = chunk === undefined ? null : toPayload(chunk, source.sourceId, source.publicKey)
  const outcome = await deliveries.log.append({ source, ...keys, payload, reason, records: chunk?.records.length ?? 0 })
  const provider = providerOf(source)
  if (outcome !== 'stored') {
    deliveries.tally.count(provider, outcome)
    return reply(200, { status: 'duplicate' }, headers)
  }
  deliveries.tally.count(provider, isUnreadable ? 'unreadable' : chunk ? 'stored' : 'ignored')
  if (chunk) ctx.applier.wakeDelayed(source)
  return reply(204, undefined, headers)
}

/** Counts the delivery against the source's rate limit and returns its headers. Throws `rate_limited`. */
async function takeRateSlot(
  { deliveries }: Omit<SourcesCtx, 'caller'>,
  source: DeliverySource,
): Promise<Record<string, string>> {
  const configured = source.config.webhook_rate_cap_per_minute
  const isRate =
    typeof configured === 'number' && Number.isInteger(configured) && configured >= 1 && configured <= RATE_MAX
  const limit = isRate ? configured : RATE_DEFAULT
  const { isGranted, remaining, resetSeconds } = await deliveries.rates.take(source, limit)
  const headers = {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetSeconds),
  }
  if (isGranted) return headers
  throw new Fault('rate_limited', { retryAfterSeconds: Math.max(1, resetSeconds), headers })
}

function assertReceiving({ status, sandboxStatus, isAccountSuspended }: DeliverySource): void {
  if (status === 'archived' || status === 'disconnected' || status === 'deleted')
    throw new Fault('gone', { detail: `The source is ${status}.` })
  if (status === 'paused') throw new Fault('source_not_active', { detail: 'The source is paused.' })
  if (sandboxStatus !== 'active') throw new Fault('sandbox_not_active')
  if (isAccountSuspended) throw new Fault('sandbox_not_active', { detail: 'The account is suspended.' })
}

const ID_CHARS_MAX = 1024

/** Digests that identify a delivery and its body, so that neither is stored. */
interface DeliveryKeys {
  eventHash: string
  bodyHash: string
}

/** Returns the keys of a delivery: `provider_event_id`, `webhook-id`, the provider's id, or the body's digest. */
function deliveryKeys(connector: Connector, delivered: Delivered, bytes: Uint8Array): DeliveryKeys {
  const bodyHash = digest(bytes)
  const id = givenId(delivered.body) ?? delivered.headers['webhook-id'] ?? connector.eventId(delivered)
  return { eventHash: id === undefined || id === '' ? `body.${bodyHash}` : digest(id.slice(0, ID_CHARS_MAX)), bodyHash }
}

function givenId(body: unknown): string | undefined {
  const id = (body as { provider_event_id?: unknown } | null)?.provider_event_id
  return typeof id === 'string' && id !== '' ? id : typeof id === 'number' ? String(id) : undefined
}

function digest(input: string | Uint8Array): string {
  return sha256(input).toString('base64url')
}

const FORMS: Record<string, BodyForm> = {
  'application/json': 'json',
  'application/x-www-form-urlencoded': 'form',
  'message/rfc822': 'mail',
}
const UTF8_ONLY = /^\s*charset\s*=\s*"?utf-?8"?\s*$/i

/**
 * Parses a delivery. Throws `unsupported_media_type` for a format that the provider does not send, the faults of a body
 * that cannot be parsed, and `validation_error` for JSON that is not an object.
 */
function readDelivery(connector: Connector, source: DeliverySource, raw: RawBody, bytes: Buffer): Delivered {
  const settings = { config: source.config, accountId: source.accountId }
  return { headers: raw.headers, settings, body: bodyOf(connector, raw, bytes) }
}

function bodyOf(connector: Connector, raw: RawBody, bytes: Buffer): unknown {
  const form = formOf(raw.headers)
  if (!form || !connector.forms.includes(form)) {
    throw unsupportedMedia(Object.keys(FORMS).filter((type) => connector.forms.includes(FORMS[type]!)))
  }
  if (form === 'mail') return new Uint8Array(bytes)
  const body = raw.json(form === 'form' ? payloadOf(bytes) : bytes)
  const isAccepted = Array.isArray(body) ? connector.takesLists === true : typeof body === 'object' && body !== null
  if (!isAccepted) throw invalid(['body'], 'Must be an object.', 'wrong_type')
  return body
}

function formOf({ 'content-type': declared = '', 'content-encoding': coding }: RawBody['headers']) {
  const [type = '', ...parameters] = declared.split(';')
  if (coding !== undefined && coding !== 'identity') return undefined
  if (!parameters.every((one) => UTF8_ONLY.test(one) || !/^\s*charset/i.test(one))) return undefined
  const name = type.trim().toLowerCase()
  return /^application\/[\w.-]+\+json$/.test(name) ? 'json' : FORMS[name]
}

/** Returns the JSON in the `payload` field of a form. Code hosts can be configured to send it in that way. */
function payloadOf(bytes: Buffer): Buffer {
  const payload = new URLSearchParams(bytes.toString('utf8')).get('payload')
  if (payload === null) throw new Fault('bad_request', { detail: 'The form has no field named payload.' })
  return Buffer.from(payload)
}

/** Inbox content of a delivery. */
interface MappedDelivery {
  chunk: Chunk | undefined
  /** Reason why there is no chunk, `unreadable` if the mapping failed, otherwise null. */
  reason: Ignored | 'unreadable' | null
}

/**
 * Maps a delivery to its chunk for the inbox. A body that the connector does not recognize is mapped like any other
 * JSON if it contains text. If the mapping throws, it has a bug that the sender cannot correct. The delivery is then
 * stored as received: it is exported but not searchable.
 */
async function mapDelivery(
  connector: Connector,
  provider: string,
  delivered: Delivered,
  { eventHash, receivedAt }: { eventHash: string; receivedAt: Date },
): Promise<MappedDelivery> {
  try {
    const { records, ignored } = await mapped(connector, delivered)
    const waiting = toWaiting(records, receivedAt)
    if (waiting.length === 0) return { chunk: undefined, reason: ignored ?? 'incomplete' }
    return { chunk: { provider, records: waiting, event: eventHash }, reason: null }
  } catch {
    return { chunk: { provider, records: [rawRecord(delivered, eventHash)], event: eventHash }, reason: 'unreadable' }
  }
}

/** Reasons for which an unrecognized body is mapped as plain JSON. */
const UNRECOGNISED: ReadonlySet<Ignored | undefined> = new Set(['unknown_event', 'incomplete'] as const)

async function mapped(connector: Connector, delivered: Delivered): Promise<Mapped> {
  const outcome = await connector.map(delivered)
  const isRecognised = outcome.records.length > 0 || !UNRECOGNISED.has(outcome.ignored)
  return isRecognised ? outcome : ((await mapUnrecognised(delivered)) ?? outcome)
}

class InvalidRecord extends Error {}

/** Converts records to inbox rows. A deletion without a time gets the time of receipt. */
function toWaiting(records: Mapped['records'], receivedAt: Date): WaitingRecord[] {
  return records.map((record, index) => {
    const problem = checkRecord(record)
    if (problem) throw new InvalidRecord(problem.reason)
    const asOf = moment(record.as_of)
    const extras = { ...(asOf && { as_of: asOf }), ...(record.site && { site: record.site }) }
    const content = { ...toRecordContent(record), ...extras }
    const deleted = record.deleted === true
    const deletedAt = deleted && !asOf && { deletedAt: receivedAt.toISOString() }
    return { line: index + 1, content, projectId: null, deleted, ...deletedAt }
  })
}

function rawRecord({ body }: Delivered, eventHash: string): WaitingRecord {
  const text = body instanceof Uint8Array ? Buffer.from(body).toString('latin1') : JSON.stringify(body)
  const content = { external_id: `delivery/${eventHash}`, type: 'delivery', text, storage_only: true }
  return { line: 1, content, projectId: null, deleted: false }
}
