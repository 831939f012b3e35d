import { Fault } from '../../base/fault.ts'
import type { Planes } from '../../store/planes.ts'
import type { RequestKey } from '../../tenancy/caller-keys/caller-key.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import { DecryptionFailed } from '../../tenancy/secrets/encrypt.ts'
import { decryptManifest, readParts } from '../encrypted-parts.ts'
import { type OriginalManifest, openOriginalKey } from './store-original.ts'

export interface Original {
  /** Name without folders. */
  readonly name: string
  readonly type: string
  readonly bytes: number
  /** Yields its content. */
  read(): AsyncGenerator<Buffer>
}

/** Media types by file extension that browsers show without running scripts. Other files are sent as bytes. */
const TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
}
const OTHER = 'application/octet-stream'
const HEX = 16

/** Returns a record's original; undefined if none is stored. The caller has checked the access scope. */
export async function findOriginal(
  ctx: Pick<Planes, 'knowledge' | 'log' | 'secrets' | 'sql'> & { readonly key: RequestKey | undefined },
  { userId, sandboxId }: SandboxRef,
  recordId: string,
): Promise<Original | undefined> {
  return ctx.sql.transact(userId, async (tx) => {
    const row = await tx
      .selectFrom('original_record')
      .innerJoin('original', (join) =>
        join
          .onRef('original.user_id', '=', 'original_record.user_id')
          .onRef('original.sandbox_id', '=', 'original_record.sandbox_id')
          .onRef('original.id', '=', 'original_record.original_id'),
      )
      .select(['original.id', 'original.key_box', 'original.manifest', 'original.bytes'])
      .where('original_record.user_id', '=', userId)
      .where('original_record.sandbox_id', '=', sandboxId)
      .where('original_record.record_id', '=', recordId)
      .where('original.state', '=', 'stored')
      .executeTakeFirst()
    if (!row?.key_box) return undefined
    const ref = { kind: 'originals' as const, userId, sandboxId, id: row.id }
    try {
      const key = await openOriginalKey(ctx, tx, ref, row.key_box)
      const { path, type } = decryptManifest<OriginalManifest>(ref, key, row.manifest)
      const name = path.split('/').at(-1) || 'file'
      return {
        name,
        type: typeOf(name, type),
        bytes: row.bytes,
        read: () => readParts(ctx, ref, key, row.bytes),
      }
    } catch (cause) {
      if (!(cause instanceof DecryptionFailed)) throw cause
      ctx.log.error('an original cannot be decrypted', { sandboxId, error: cause })
      throw new Fault('unavailable', { cause })
    }
  })
}

function typeOf(name: string, type: string | undefined): string {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return TYPES[ending] ?? (Object.values(TYPES).includes(type ?? '') ? type! : OTHER)
}

/** Returns headers that make a browser save the file. If the browser shows it anyway, no script runs. */
export function fileHeaders({ name, type, bytes }: Original): Record<string, string> {
  const ascii = name.replace(/[^ -~]|["\\]/g, '_')
  const encoded = encodeURIComponent(Buffer.from(name).toString()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(HEX)}`,
  )
  return {
    'content-type': type,
    'content-length': String(bytes),
    'content-disposition': `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  }
}
