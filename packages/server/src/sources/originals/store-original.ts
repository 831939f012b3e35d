import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { newId } from '../../base/id.ts'
import { isSandbox, ofSandbox, sandboxColumns } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import { originalBytes, originalKeyContext } from '../../store/original-rows.ts'
import type { Planes } from '../../store/planes.ts'
import { recordLater } from '../../tenancy/audit/audited-sql.ts'
import type { RequestKey } from '../../tenancy/caller-keys/caller-key.ts'
import { readStoredKey } from '../../tenancy/caller-keys/retained-keys.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import { decrypt, encrypt, encryptTo, newDataKey } from '../../tenancy/secrets/encrypt.ts'
import { encryptManifest, PART_BYTES, type PartsRef, writeParts } from '../encrypted-parts.ts'

type OriginalPlanes = Pick<
  Planes,
  'clock' | 'knowledge' | 'limits' | 'log' | 'originalBytesMax' | 'diskSpace' | 'secrets' | 'sql'
> & { readonly key: RequestKey | undefined }

/** Path and media type of an original. */
export interface OriginalManifest {
  path: string
  type?: string
}

/** Source and project of an import. */
export interface OriginalOwner extends SandboxRef {
  readonly sourceId: string
  readonly projectId: string | null
}

/** A file whose records are imported. */
export interface OriginalFile {
  readonly path: string
  readonly type?: string | undefined
  readonly bytes: Uint8Array
}

/** Name of the secret with the key that encrypts the keys of originals, in a sandbox without a customer-managed key. */
const KEY_REF = 'originals/key'

/**
 * Stores the original of a file and returns its id. The same file of a source is stored once. Returns undefined if it
 * is too large, exceeds the storage quota, or cannot be stored. Its records are imported in any case.
 */
export async function storeOriginal(
  ctx: OriginalPlanes,
  owner: OriginalOwner,
  file: OriginalFile,
): Promise<string | undefined> {
  const { length } = file.bytes
  if (length === 0 || length > ctx.originalBytesMax) return undefined
  try {
    const digest = await digestOf(owner, file)
    const begun = await ctx.sql.transact(owner.userId, (tx) => begin(ctx, tx, owner, { ...file, digest }))
    if (!begun || 'known' in begun) return begun?.known
    const ref = originalRef(owner, begun.id)
    await writeParts(ctx, ref, begun.key, partsOf(file.bytes))
    await ctx.sql.transact(owner.userId, async (tx) => {
      recordLater(tx)
      await tx
        .updateTable('original')
        .set({ state: 'stored' })
        .where(ofSandbox(ref, { id: ref.id, state: 'storing' }))
        .execute()
    })
    return begun.id
  } catch (error) {
    ctx.log.warn('an original was not stored; its records are imported', { sandboxId: owner.sandboxId, error })
    return undefined
  }
}

function originalRef({ userId, sandboxId }: SandboxRef, id: string): PartsRef {
  return { kind: 'originals', userId, sandboxId, id }
}

function* partsOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += PART_BYTES) yield bytes.subarray(from, from + PART_BYTES)
}

const CHUNK_BYTES = 1024 * 1024

/** Returns a digest of the file and its owner. Yields to the event loop between chunks. */
async function digestOf({ sourceId, projectId }: OriginalOwner, { path, bytes }: OriginalFile): Promise<Buffer> {
  const hash = createHash('sha256').update(JSON.stringify([sourceId, projectId, path]))
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    hash.update(bytes.subarray(at, at + CHUNK_BYTES))
    await setImmediate()
  }
  return hash.digest()
}

async function begin(
  ctx: OriginalPlanes,
  tx: Tx,
  owner: OriginalOwner,
  { path, type, bytes, digest: plainDigest }: OriginalFile & { digest: Buffer },
): Promise<{ known: string } | { id: string; key: Buffer } | undefined> {
  recordLater(tx)
  const sandbox = await tx
    .selectFrom('sandbox')
    .select(['caller_key', 'tier'])
    .where(isSandbox(owner))
    // Serializes the writers of a sandbox, so that only one of them creates its key.
    .forNoKeyUpdate()
    .executeTakeFirst()
  const seal = ctx.key?.seal
  const stored = readStoredKey(sandbox?.caller_key ?? null)
  // The import is rejected with the reason when its records are received.
  if (!sandbox || (stored && !seal?.matches(stored))) return undefined
  const digest = seal ? seal.digest(plainDigest) : plainDigest
  const known = await tx
    .selectFrom('original')
    .select('id')
    .where(ofSandbox(owner, { source_id: owner.sourceId, digest, state: 'stored' }))
    .executeTakeFirst()
  if (known) return { known: known.id }
  const { max_storage_bytes: bytesMax } = ctx.limits[sandbox.tier]
  if (bytesMax !== null && (await usedBytes(tx, owner)) + bytes.length > bytesMax) return undefined
  const id = newId('original', ctx.clock)
  const ref = originalRef(owner, id)
  const key = newDataKey()
  await tx
    .insertInto('original')
    .values({
      ...sandboxColumns(owner),
      id,
      source_id: owner.sourceId,
      project_id: owner.projectId,
      digest,
      key_box: seal
        ? encryptTo(seal.storedKey.publicKey, originalKeyContext(id), key)
        : encrypt(await sandboxKey(ctx, tx, owner), [originalKeyContext(id)], key),
      manifest: encryptManifest(ref, key, { path, ...(type !== undefined && { type }) } satisfies OriginalManifest),
      bytes: bytes.length,
      created_at: ctx.clock.now(),
    })
    .execute()
  return { id, key }
}

async function usedBytes(tx: Tx, sandbox: SandboxRef): Promise<number> {
  const heads = tx.selectFrom('sandbox_head').select('content_bytes').where(ofSandbox(sandbox))
  const head = await heads.executeTakeFirst()
  return (head?.content_bytes ?? 0) + (await originalBytes(tx, sandbox))
}

/** Returns the key that encrypts the keys of a sandbox's originals. Creates it if there is none. */
async function sandboxKey({ secrets }: Pick<Planes, 'secrets'>, tx: Tx, place: SandboxRef): Promise<Buffer> {
  const stored = await secrets.find(tx, place, KEY_REF)
  if (stored !== undefined) return Buffer.from(stored, 'base64')
  const key = newDataKey()
  await secrets.put(tx, place, KEY_REF, key.toString('base64'))
  return key
}

/** Returns the key of an original. Throws `missing` and DecryptionFailed. */
export async function openOriginalKey(
  ctx: Pick<Planes, 'secrets'> & { readonly key: RequestKey | undefined },
  tx: Tx,
  ref: Pick<PartsRef, 'userId' | 'sandboxId' | 'id'>,
  box: Buffer,
): Promise<Buffer> {
  const context = originalKeyContext(ref.id)
  if (ctx.key) return ctx.key.seal.decryptBox(context, box)
  return decrypt(await sandboxKey(ctx, tx, ref), [context], box)
}
