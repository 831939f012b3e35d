import { Fault } from '../../base/fault.ts'
import type { JsonObject } from '../../db/json-object.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Reach } from '../reach/reach.ts'
import { type PublicKey, SealBroken } from '../secrets/seal.ts'
import type { SecretPlace, SecretStore } from '../secrets/secret-store.ts'
import { FIRST_EPOCH, type RequestKey } from './caller-key.ts'
import type { ContentSeal } from './content-seal.ts'
import { readKeptKey, writeKeptKey } from './kept-keys.ts'

/** The key that a request brought, when it means something to the sandbox. */
interface BroughtKey {
  readonly key: RequestKey | undefined
}

/**
 * Whether a credential that this request brings will be kept under the caller's key, as far as was known when the
 * request came in. Throws `missing` when it has to be and no key came.
 */
export function keepsUnderKey({ key }: BroughtKey, { sandbox }: Reach): boolean {
  if (sandbox.caller_key !== null && !key) throw new Fault('missing')
  return key !== undefined
}

/**
 * The seal for a credential that this request brings: undefined in a sandbox under no key. With a key it puts one that
 * is empty under it, like content. The sandbox keeps its key until the transaction ends; this comes first in it, as
 * `bindKey` does. Throws `missing`, `mismatch` and `holds_plain_content`.
 */
export async function lockCredentialSeal(ctx: BroughtKey, tx: Tx, reach: Reach): Promise<ContentSeal | undefined> {
  await bindKey(ctx, tx, reach)
  const row = await tx
    .selectFrom('sandbox')
    .select('caller_key')
    .where('user_id', '=', reach.holderId)
    .where('id', '=', reach.sandboxId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => new Fault('not_found'))
  const kept = readKeptKey(row.caller_key)
  if (!kept) return undefined
  if (!ctx.key) throw new Fault('missing')
  if (!ctx.key.seal.fits(kept)) throw new Fault('mismatch')
  return ctx.key.seal
}

/** A credential as the secret store is given it: the store seals it once more, as it does every secret. */
export function sealCredential(seal: ContentSeal, ref: string, value: string): string {
  return seal.seal(placeOf(ref), Buffer.from(value)).toString('base64')
}

/** Undoes `sealCredential`; throws `mismatch` when the sandbox has had another key since. */
export function openCredential(seal: ContentSeal, ref: string, sealed: string): string {
  try {
    return seal.open(placeOf(ref), Buffer.from(sealed, 'base64')).toString('utf8')
  } catch (cause) {
    if (!(cause instanceof SealBroken)) throw cause
    throw new Fault('mismatch', { cause })
  }
}

/** How far a source has been read, as its row keeps it: a cursor may name what was read, and hold digests of it. */
export function sealCursor(seal: ContentSeal, sourceId: string, cursor: JsonObject): JsonObject {
  return { sealed: seal.seal(cursorPlace(sourceId), Buffer.from(JSON.stringify(cursor))).toString('base64') }
}

/**
 * Opens what `sealCursor` sealed. Returns undefined when another key sealed it; the source is then read from its
 * beginning.
 */
export function openCursor(seal: ContentSeal, sourceId: string, kept: JsonObject): JsonObject | undefined {
  if (typeof kept.sealed !== 'string') return kept
  try {
    return JSON.parse(seal.open(cursorPlace(sourceId), Buffer.from(kept.sealed, 'base64')).toString('utf8'))
  } catch (cause) {
    if (!(cause instanceof SealBroken)) throw cause
    return undefined
  }
}

/**
 * Seals every credential of the sandbox that is under its key, and how far its source has been read, with the key that
 * takes its place.
 */
export async function sealCredentialsAnew(
  secrets: SecretStore,
  tx: Tx,
  place: SecretPlace,
  { before, after }: { before: ContentSeal; after: ContentSeal },
): Promise<void> {
  const sources = await tx
    .selectFrom('source')
    .select(['id', 'credential_ref', 'poll_cursor'])
    .where(ofSandbox(place))
    .where('credential_under_key', '=', true)
    .execute()
  for (const { id, credential_ref: ref, poll_cursor: kept } of sources) {
    const cursor = kept && openCursor(before, id, kept)
    await tx
      .updateTable('source')
      .set({ poll_cursor: cursor ? sealCursor(after, id, cursor) : null })
      .where(ofSandbox(place, { id }))
      .execute()
    const sealed = ref === null ? undefined : await secrets.find(tx, place, ref)
    if (ref === null || sealed === undefined) continue
    await secrets.put(tx, place, ref, sealCredential(after, ref, openCredential(before, ref, sealed)))
  }
}

function cursorPlace(sourceId: string): string {
  return `cursors/${sourceId}`
}

function placeOf(ref: string): string {
  return `credentials/${ref}`
}

/**
 * The public key that what a keyed request brings is sealed to. A sandbox that has never held content is put under the
 * request's key for ever, in the transaction of that first content. Throws `holds_plain_content` for one that has, and
 * `mismatch` when another key came first. It comes before any other look at the sandbox's row in the transaction, which
 * it locks: two that look first and lock then would wait for each other.
 */
export async function bindKey(ctx: BroughtKey, tx: Tx, reach: Reach): Promise<PublicKey | undefined> {
  if (!ctx.key) return undefined
  const { seal } = ctx.key
  const known = readKeptKey(reach.sandbox.caller_key)
  if (known) return known.publicKey
  const place = { user_id: reach.holderId, sandbox_id: reach.sandboxId }
  // Whoever brings content without a key holds a lock of the same row that excludes this one.
  const row = await sandboxRow(tx, reach).select('caller_key').forUpdate().executeTakeFirst()
  if (!row) throw new Fault('not_found')
  const bound = readKeptKey(row.caller_key)
  if (bound && !seal.fits(bound)) throw new Fault('mismatch')
  if (bound) return bound.publicKey
  if (await holdsContent(tx, place)) throw new Fault('holds_plain_content')
  await tx
    .updateTable('sandbox')
    .set({ encrypted: true, key_fingerprint: seal.fingerprint, caller_key: writeKeptKey(seal.kept) })
    .where('user_id', '=', place.user_id)
    .where('id', '=', place.sandbox_id)
    .execute()
  await tx
    .updateTable('sandbox_head')
    .set((is) => ({
      key_epoch: FIRST_EPOCH,
      record_count: is.fn.coalesce('record_count', is.lit(0)),
      content_bytes: is.fn.coalesce('content_bytes', is.lit(0)),
    }))
    .where((is) => is.and(place))
    .execute()
  return seal.kept.publicKey
}

function sandboxRow(tx: Tx, { holderId, sandboxId }: Reach) {
  return tx.selectFrom('sandbox').where('user_id', '=', holderId).where('id', '=', sandboxId)
}

/** Whether anything was ever put into the sandbox: what is gone may still be in older versions. */
async function holdsContent(tx: Tx, place: { user_id: string; sandbox_id: string }): Promise<boolean> {
  const head = await tx
    .selectFrom('sandbox_head')
    .select('seq')
    .where((is) => is.and(place))
    .executeTakeFirst()
  if (head && head.seq > 0) return true
  const waiting = await tx
    .selectFrom('inbox')
    .select('id')
    .where((is) => is.and(place))
    .limit(1)
    .executeTakeFirst()
  return waiting !== undefined
}
