import { Fault } from '../../base/fault.ts'
import type { JsonObject } from '../../db/json-object.ts'
import { hasRow, isSandbox, ofSandbox, sandboxColumns } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { AccessScope } from '../access/access-scope.ts'
import { DecryptionFailed, type PublicKey } from '../secrets/encrypt.ts'
import type { SecretScope, SecretStore } from '../secrets/secret-store.ts'
import { FIRST_EPOCH, type RequestKey } from './caller-key.ts'
import type { ContentCipher, KeyChange } from './content-cipher.ts'
import { readStoredKey, writeStoredKey } from './retained-keys.ts'

/** The request's customer-managed key; undefined if the sandbox does not use it. */
interface KeyContext {
  readonly key: RequestKey | undefined
}

/**
 * Returns true if this request's credential will be encrypted with the caller's key, judged by the sandbox's state at
 * the start of the request. Throws `missing` if the sandbox needs a key and the request has none.
 */
export function usesCustomerKey({ key }: KeyContext, { sandbox }: AccessScope): boolean {
  if (sandbox.caller_key !== null && !key) throw new Fault('missing')
  return key !== undefined
}

/**
 * Returns the cipher for this request's credential; undefined in a sandbox without a key. Binds an empty sandbox to the
 * request's key, as its first content would. The row lock prevents a key change until the transaction ends. Like
 * `bindKey`, it must come first in the transaction. Throws `missing`, `mismatch` and `holds_plain_content`.
 */
export async function lockCredentialCipher(
  ctx: KeyContext,
  tx: Tx,
  access: AccessScope,
): Promise<ContentCipher | undefined> {
  await bindKey(ctx, tx, access)
  const row = await tx
    .selectFrom('sandbox')
    .select('caller_key')
    .where(isSandbox(access))
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => new Fault('not_found'))
  const stored = readStoredKey(row.caller_key)
  if (!stored) return undefined
  if (!ctx.key) throw new Fault('missing')
  if (!ctx.key.seal.matches(stored)) throw new Fault('mismatch')
  return ctx.key.seal
}

/** Encrypts a credential with the caller's key. The secret store then encrypts the result again, like every secret. */
export function encryptCredential(seal: ContentCipher, ref: string, value: string): string {
  return seal.encrypt(credentialContext(ref), Buffer.from(value)).toString('base64')
}

/** Decrypts a result of `encryptCredential`. Throws `mismatch` if the sandbox's key has changed since. */
export function decryptCredential(seal: ContentCipher, ref: string, sealed: string): string {
  try {
    return seal.decrypt(credentialContext(ref), Buffer.from(sealed, 'base64')).toString('utf8')
  } catch (cause) {
    if (!(cause instanceof DecryptionFailed)) throw cause
    throw new Fault('mismatch', { cause })
  }
}

/** Encrypts a source's poll cursor, because it may contain names or digests of content. */
export function encryptCursor(seal: ContentCipher, sourceId: string, cursor: JsonObject): JsonObject {
  return { sealed: seal.encrypt(cursorContext(sourceId), Buffer.from(JSON.stringify(cursor))).toString('base64') }
}

/** Decrypts a cursor. Returns undefined if it has another key. The source is then read from its beginning. */
export function decryptCursor(seal: ContentCipher, sourceId: string, stored: JsonObject): JsonObject | undefined {
  if (typeof stored.sealed !== 'string') return stored
  try {
    return JSON.parse(seal.decrypt(cursorContext(sourceId), Buffer.from(stored.sealed, 'base64')).toString('utf8'))
  } catch (cause) {
    if (!(cause instanceof DecryptionFailed)) throw cause
    return undefined
  }
}

/** Re-encrypts the credentials and poll cursors of a sandbox when its key changes. */
export async function reencryptCredentials(
  secrets: SecretStore,
  tx: Tx,
  place: SecretScope,
  { before, after }: KeyChange,
): Promise<void> {
  const sources = await tx
    .selectFrom('source')
    .select(['id', 'credential_ref', 'poll_cursor'])
    .where(ofSandbox(place))
    .where('credential_under_key', '=', true)
    .execute()
  for (const { id, credential_ref: ref, poll_cursor: stored } of sources) {
    const cursor = stored && decryptCursor(before, id, stored)
    await tx
      .updateTable('source')
      .set({ poll_cursor: cursor ? encryptCursor(after, id, cursor) : null })
      .where(ofSandbox(place, { id }))
      .execute()
    const sealed = ref === null ? undefined : await secrets.find(tx, place, ref)
    if (ref === null || sealed === undefined) continue
    await secrets.put(tx, place, ref, encryptCredential(after, ref, decryptCredential(before, ref, sealed)))
  }
}

function cursorContext(sourceId: string): string {
  return `cursors/${sourceId}`
}

function credentialContext(ref: string): string {
  return `credentials/${ref}`
}

/**
 * Returns the public key to encrypt this request's data to. The first content of an empty sandbox binds it to the
 * request's key permanently, in the same transaction. Throws `holds_plain_content` if the sandbox has content, and
 * `mismatch` if it was bound to another key. Call this before any other access to the sandbox's row, which it locks.
 * Otherwise two transactions that both read first could deadlock.
 */
export async function bindKey(ctx: KeyContext, tx: Tx, access: AccessScope): Promise<PublicKey | undefined> {
  if (!ctx.key) return undefined
  const { seal } = ctx.key
  const known = readStoredKey(access.sandbox.caller_key)
  if (known) return known.publicKey
  const place = sandboxColumns(access)
  // The lock conflicts with that of a writer without a key.
  const row = await tx.selectFrom('sandbox').select('caller_key').where(isSandbox(place)).forUpdate().executeTakeFirst()
  if (!row) throw new Fault('not_found')
  const bound = readStoredKey(row.caller_key)
  if (bound && !seal.matches(bound)) throw new Fault('mismatch')
  if (bound) return bound.publicKey
  if (await holdsContent(tx, place)) throw new Fault('holds_plain_content')
  await tx
    .updateTable('sandbox')
    .set({ encrypted: true, key_fingerprint: seal.fingerprint, caller_key: writeStoredKey(seal.storedKey) })
    .where(isSandbox(place))
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
  return seal.storedKey.publicKey
}

/** Returns true if the sandbox ever had content, because older versions may still contain deleted content. */
async function holdsContent(tx: Tx, place: { user_id: string; sandbox_id: string }): Promise<boolean> {
  const head = await tx.selectFrom('sandbox_head').select('seq').where(ofSandbox(place)).executeTakeFirst()
  return (head?.seq ?? 0) > 0 || hasRow(tx, 'inbox', place)
}
