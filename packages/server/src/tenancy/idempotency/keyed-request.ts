import { randomUUID } from 'node:crypto'
import { type Operation, type OutcomeError, shownOnce } from '@cairnstore/contract'
import { sql } from 'kysely'
import { MS_PER_DAY } from '../../base/clock.ts'
import { Fault, type FaultName, type Problem } from '../../base/fault.ts'
import type { JsonObject } from '../../db/json-object.ts'
import type { Sql, Tx } from '../../db/open.ts'
import type { Scope } from '../../db/scope.ts'
import type { IdempotencyTable } from '../../db/tables.ts'
import type { ContentCipher } from '../caller-keys/content-cipher.ts'
import type { Planes } from '../planes.ts'

/** A request with an Idempotency-Key: its owner, key and content. */
export interface KeyedRequest {
  /** Account that owns the changed rows; the response is stored with them. Empty for the operator. */
  readonly holderId: string
  readonly credentialId: string
  readonly method: string
  readonly path: string
  readonly key: string
  /** Returns the SHA-256 of the body and the query. For a streamed body it covers the bytes received so far. */
  readonly fingerprint: () => Buffer
  /** Customer-managed key that encrypts the stored response. */
  readonly seal: ContentCipher | undefined
  /** Random id that distinguishes this request from others with the same key. */
  readonly claim: string
}

interface ReplyContent {
  status: number
  body: JsonObject
}

/** Milliseconds until a claim expires unless renewed. It bounds how long a crashed process blocks a key. */
const LEASE_MS = 60_000
/** Milliseconds for which a response is stored. */
const STORED_MS = MS_PER_DAY

const KEY = /^"?[\x21\x23-\x7e]{1,255}"?$/

/** Returns the key in a header, with or without quotes. Throws `invalid_header` for any other form. */
export function parseIdempotencyKey(header: string): string {
  if (!KEY.test(header)) {
    throw new Fault('invalid_header', { detail: 'Send Idempotency-Key as 1 to 255 visible ASCII characters.' })
  }
  return header.replace(/^"(.*)"$/, '$1')
}

/** Returns a unique claim id. */
export function newClaim(): string {
  return randomUUID()
}

/**
 * Claims the key or returns its stored response. Throws `idempotency_key_in_use` while another request with the key
 * runs. The caller must check the body with `assertSame`.
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
              old(`${table}.created_at`, '<', new Date(now.getTime() - STORED_MS)),
              old.and([old(`${table}.status`, 'is', null), old(`${table}.lease_until`, '<', now)]),
            ]),
          ),
      )
      .returning('claim')
      .executeTakeFirst()
    if (claimed) return undefined
    const stored = await rowOf(tx, request).select(['status', 'body', 'fingerprint']).executeTakeFirst()
    if (!stored?.status) throw new Fault('idempotency_key_in_use', { retryAfterSeconds: 1 })
    const { status, body, fingerprint } = stored
    return { status, fingerprint, read: () => readBody(request, body) }
  })
}

/** A stored response with the fingerprint of its request. */
export interface StoredReply {
  status: number
  fingerprint: Buffer
  /** Decrypts the response. Check the fingerprint first: without the customer-managed key it differs. */
  read(): JsonObject
}

function readBody({ seal, claim: _, ...request }: KeyedRequest, body: Buffer | null): JsonObject {
  const plain = seal && body ? seal.decrypt(associatedDataOf(request), body) : body
  return JSON.parse(String(plain)) as JsonObject
}

function toBody({ seal, ...request }: KeyedRequest, body: JsonObject): Buffer {
  const plain = Buffer.from(JSON.stringify(body))
  return seal ? seal.encrypt(associatedDataOf(request), plain) : plain
}

function associatedDataOf({ credentialId, method, path, key }: Omit<KeyedRequest, 'seal' | 'claim'>): string {
  return `replies/${JSON.stringify([credentialId, method, path, key])}`
}

const NONE = Buffer.alloc(0)

/** Throws `idempotency_key_reused` if the stored response belongs to another body or query. */
export function assertSame(stored: StoredReply, fingerprint: Buffer): void {
  if (!stored.fingerprint.equals(fingerprint)) throw new Fault('idempotency_key_reused')
}

/**
 * Stores the response in the transaction of its effect. Throws `idempotency_key_in_use` if the claim expired and
 * another request took the key over. The effect is then rolled back.
 */
export async function writeReply(tx: Tx, request: KeyedRequest, { status, body }: ReplyContent): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable(tableOf(request))
    .set({ status, body: toBody(request, body), fingerprint: request.fingerprint() })
    .where((is) => is.and(keyOf(request)))
    .where('claim', '=', request.claim)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw new Fault('idempotency_key_in_use', { retryAfterSeconds: 1 })
}

/** Renews the claim while the request runs, so that no other request takes the key over. */
export async function renewClaim(tx: Tx, request: KeyedRequest, now: Date): Promise<void> {
  await tx
    .updateTable(tableOf(request))
    .set({ lease_until: new Date(now.getTime() + LEASE_MS) })
    .where((is) => is.and(keyOf(request)))
    .where('claim', '=', request.claim)
    .execute()
}

/** Releases the key unless a response is stored for it. */
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

type StoredError = {
  refusal: FaultName
  detail: string
  problems?: Problem[]
  outcome?: OutcomeError
}

export function toStoredFault(body: JsonObject): Fault {
  const { refusal, ...parts } = body as StoredError
  return new Fault(refusal, { ...parts, headers: REPLAYED })
}

/** Header of a replayed response. */
export const REPLAYED = { 'idempotent-replayed': 'true' }

/** Returns the scope of a transaction that reads or stores the response: the account's rows, or the operator's. */
export function scopeOf({ holderId }: KeyedRequest): Scope {
  return holderId === OPERATOR ? { tenant: holderId, operator: true } : { tenant: holderId }
}

/** The operator has no account. */
const OPERATOR = ''

function rowOf(tx: Tx, request: KeyedRequest) {
  return tx.selectFrom(tableOf(request)).where((is) => is.and(keyOf(request)))
}

/** Returns the table of the stored response. The operator's table has the same columns except the account. */
function tableOf({ holderId }: KeyedRequest): 'idempotency' {
  return (holderId === OPERATOR ? 'admin_idempotency' : 'idempotency') as 'idempotency'
}

function keyOf({ holderId, credentialId, method, path, key }: KeyedRequest): Key {
  const own = { credential_id: credentialId, method, path, key }
  return (holderId === OPERATOR ? own : { user_id: holderId, ...own }) as Key
}

type Key = Pick<IdempotencyTable, 'user_id' | 'credential_id' | 'method' | 'path' | 'key'>

/** The request context that a stored response needs. */
export interface IdempotencyContext {
  readonly operation: Operation & { readonly id: string }
  /** The keyed request, and whether its response is stored; undefined without an Idempotency-Key. */
  readonly keyed: { readonly request: KeyedRequest; isStored: boolean } | undefined
}

/**
 * Stores a response for repeats, in the transaction of its effect, so that both commit or neither does. Fields shown
 * only once are stored as null. Does nothing without an Idempotency-Key.
 */
export async function storeReply(
  ctx: IdempotencyContext,
  tx: Tx,
  body: object,
  status: number = ctx.operation.status,
): Promise<void> {
  if (!ctx.keyed) return
  const secrets = shownOnce(ctx.operation.reply?.json).filter((name) => name in body)
  const hidden = Object.fromEntries(secrets.map((name) => [name, null]))
  await writeReply(tx, ctx.keyed.request, { status, body: { ...body, ...hidden } })
  ctx.keyed.isStored = true
}

/** Maximum number of responses removed per table in one run. */
const ROWS_MAX = 5_000
const TABLES = ['idempotency', 'admin_idempotency'] as const

/** Removes stored responses older than a day, of all accounts and of the operator. */
export async function dropReplies({ sql: control, clock }: Planes): Promise<void> {
  const cutoff = new Date(clock.now().getTime() - STORED_MS)
  for (const table of TABLES) {
    await control.transact({ worker: true }, (tx) =>
      sql`delete from ${sql.table(table)} where ctid = any (array(
        select ctid from ${sql.table(table)} where created_at < ${cutoff} order by created_at limit ${ROWS_MAX}
      ))`.execute(tx),
    )
  }
}
