import { randomUUID } from 'node:crypto'
import { type Operation, type OutcomeError, shownOnce } from '@cairnstore/contract'
import { sql } from 'kysely'
import { MS_PER_DAY } from '../../base/clock.ts'
import { Fault, type FaultName, type Problem } from '../../base/fault.ts'
import type { JsonObject } from '../../db/json-object.ts'
import type { Sql, Tx } from '../../db/open.ts'
import type { Scope } from '../../db/scope.ts'
import type { IdempotencyTable } from '../../db/tables.ts'
import type { ContentSeal } from '../caller-keys/content-seal.ts'
import type { Planes } from '../planes.ts'

/** A request that may come again: whose it is, its key, and what it says. */
export interface KeyedRequest {
  /** The account that holds what the request changes; the reply is kept with its rows. Empty for the operator. */
  readonly holderId: string
  readonly credentialId: string
  readonly method: string
  readonly path: string
  readonly key: string
  /** The sha256 of the body and the query; of a streamed body, of what has come of it so far. */
  readonly fingerprint: () => Buffer
  /** The caller's key, under which the reply is kept. */
  readonly seal: ContentSeal | undefined
  /** Tells this request from others with the same key. */
  readonly claim: string
}

interface KeptReply {
  status: number
  body: JsonObject
}

/** A request that runs is believed in for so long; a process that died holds its key no longer. */
const LEASE_MS = 60_000
/** How long a reply is kept for repeats, in milliseconds. */
const KEPT_MS = MS_PER_DAY

const KEY = /^"?[\x21\x23-\x7e]{1,255}"?$/

/** The key that a header holds, bare or quoted; throws `invalid_header` for one of another form. */
export function parseIdempotencyKey(header: string): string {
  if (!KEY.test(header)) {
    throw new Fault('invalid_header', { detail: 'Send Idempotency-Key as 1 to 255 visible ASCII characters.' })
  }
  return header.replace(/^"(.*)"$/, '$1')
}

/** A claim that no other request has. */
export function newClaim(): string {
  return randomUUID()
}

/**
 * Claims the key, or returns the reply that it has already. Throws `idempotency_key_in_use` while another request with
 * it runs. Whether the body is the same is for `assertSame` to say.
 */
export async function claimKey(sql: Sql, request: KeyedRequest, now: Date): Promise<StoredReply | undefined> {
  const [table, own] = [tableOf(request), keyOf(request)]
  const fresh = { fingerprint: NONE, status: null, body: null, created_at: now }
  const lease = { claim: request.claim, lease_until: new Date(now.getTime() + LEASE_MS) }
  return sql.transact(scopeOf(request), async (tx) => {
    const claimed = await tx
      .insertInto(table)
      .values({ ...own, ...fresh, ...lease })
      .onConflict((is) =>
        is
          .columns(Object.keys(own) as (keyof typeof own)[])
          .doUpdateSet({ ...fresh, ...lease })
          .where((old) =>
            old.or([
              old(`${table}.created_at`, '<', new Date(now.getTime() - KEPT_MS)),
              old.and([old(`${table}.status`, 'is', null), old(`${table}.lease_until`, '<', now)]),
            ]),
          ),
      )
      .returning('claim')
      .executeTakeFirst()
    if (claimed) return undefined
    const kept = await rowOf(tx, request).select(['status', 'body', 'fingerprint']).executeTakeFirst()
    if (!kept?.status) throw new Fault('idempotency_key_in_use', { retryAfterSeconds: 1 })
    const { status, body, fingerprint } = kept
    return { status, fingerprint, read: () => readBody(request, body) }
  })
}

/** A kept reply, and the fingerprint of the body that it answered. */
export interface StoredReply {
  status: number
  fingerprint: Buffer
  /** What it says; only to be read when the fingerprint is the request's, which a request without the key has not. */
  read(): JsonObject
}

function readBody({ seal, claim: _, ...request }: KeyedRequest, body: Buffer | null): JsonObject {
  const plain = seal && body ? seal.open(placeOf(request), body) : body
  return JSON.parse(String(plain)) as JsonObject
}

function toBody({ seal, ...request }: KeyedRequest, body: JsonObject): Buffer {
  const plain = Buffer.from(JSON.stringify(body))
  return seal ? seal.seal(placeOf(request), plain) : plain
}

function placeOf({ credentialId, method, path, key }: Omit<KeyedRequest, 'seal' | 'claim'>): string {
  return `replies/${JSON.stringify([credentialId, method, path, key])}`
}

const NONE = Buffer.alloc(0)

/** Throws `idempotency_key_reused` when the kept reply answered another body or query. */
export function assertSame(kept: StoredReply, fingerprint: Buffer): void {
  if (!kept.fingerprint.equals(fingerprint)) throw new Fault('idempotency_key_reused')
}

/**
 * Keeps the reply, in the transaction of its effect. Throws `idempotency_key_in_use` when the key was held for so long
 * that another request took it over: then the effect is rolled back.
 */
export async function keep(tx: Tx, request: KeyedRequest, { status, body }: KeptReply): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable(tableOf(request))
    .set({ status, body: toBody(request, body), fingerprint: request.fingerprint() })
    .where((is) => is.and(keyOf(request)))
    .where('claim', '=', request.claim)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw new Fault('idempotency_key_in_use', { retryAfterSeconds: 1 })
}

/** Says that the request still runs, so that no other takes its key over. */
export async function renewClaim(tx: Tx, request: KeyedRequest, now: Date): Promise<void> {
  await tx
    .updateTable(tableOf(request))
    .set({ lease_until: new Date(now.getTime() + LEASE_MS) })
    .where((is) => is.and(keyOf(request)))
    .where('claim', '=', request.claim)
    .execute()
}

/** Gives the key back, unless a reply is kept under it. */
export async function release(sql: Sql, request: KeyedRequest): Promise<void> {
  await sql.transact(scopeOf(request), (tx) =>
    tx
      .deleteFrom(tableOf(request))
      .where((is) => is.and(keyOf(request)))
      .where('claim', '=', request.claim)
      .where('status', 'is', null)
      .execute(),
  )
}

type KeptRefusal = {
  refusal: FaultName
  detail: string
  problems?: Problem[]
  outcome?: OutcomeError
}

/** The fault that a kept refusal says. */
export function toRefusal(body: JsonObject): Fault {
  const { refusal, ...parts } = body as KeptRefusal
  return new Fault(refusal, { ...parts, headers: REPLAYED })
}

/** What a repeated reply says of itself. */
export const REPLAYED = { 'idempotent-replayed': 'true' }

/** The scope of a transaction that reads or stores the reply: the rows of the account, or none. */
export function scopeOf({ holderId }: KeyedRequest, accountId = holderId): Scope {
  return holderId === OPERATOR ? { tenant: accountId, operator: true } : { tenant: accountId }
}

/** The operator has no account. */
const OPERATOR = ''

function rowOf(tx: Tx, request: KeyedRequest) {
  return tx.selectFrom(tableOf(request)).where((is) => is.and(keyOf(request)))
}

/** The operator's replies have a table of their own, with the same columns but for the account. */
function tableOf({ holderId }: KeyedRequest): 'idempotency' {
  return (holderId === OPERATOR ? 'admin_idempotency' : 'idempotency') as 'idempotency'
}

function keyOf({ holderId, credentialId, method, path, key }: KeyedRequest): Key {
  const own = { credential_id: credentialId, method, path, key }
  return (holderId === OPERATOR ? own : { user_id: holderId, ...own }) as Key
}

type Key = Pick<IdempotencyTable, 'user_id' | 'credential_id' | 'method' | 'path' | 'key'>

/** What a kept reply takes of its request. */
export interface Keeping {
  readonly operation: Operation & { readonly id: string }
  /** The key under which the reply is kept for repeats, when the caller sent one, and whether that is done. */
  readonly keyed: { readonly request: KeyedRequest; isKept: boolean } | undefined
}

/**
 * Keeps a reply for repeats of a request that brought a key, in the transaction of its effect, so that neither is
 * without the other. What is shown once is kept as null. Without a key it does nothing.
 */
export async function keepReply(
  ctx: Keeping,
  tx: Tx,
  body: object,
  status: number = ctx.operation.status,
): Promise<void> {
  if (!ctx.keyed) return
  const secrets = shownOnce(ctx.operation.reply?.json).filter((name) => name in body)
  const hidden = Object.fromEntries(secrets.map((name) => [name, null]))
  await keep(tx, ctx.keyed.request, { status, body: { ...body, ...hidden } })
  ctx.keyed.isKept = true
}

/** Replies dropped in one round. */
const ROWS_MAX = 5_000
const TABLES = ['idempotency', 'admin_idempotency'] as const

/** Removes the stored replies that are older than a day, of all accounts and of the operator. */
export async function dropReplies({ sql: control, clock }: Planes): Promise<void> {
  const cutoff = new Date(clock.now().getTime() - KEPT_MS)
  for (const table of TABLES) {
    await control.transact({ worker: true }, (tx) =>
      sql`delete from ${sql.table(table)} where ctid = any (array(
        select ctid from ${sql.table(table)} where created_at < ${cutoff} order by created_at limit ${ROWS_MAX}
      ))`.execute(tx),
    )
  }
}
