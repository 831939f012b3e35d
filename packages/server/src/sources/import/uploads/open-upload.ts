import { createGunzip } from 'node:zlib'
import { Fault } from '../../../base/fault.ts'
import { isDocument } from '../../../documents/detect.ts'
import type { Upload } from '../../../tenancy/handler.ts'
import type { ExportFile, ExportFiles } from '../../connectors/export-reader.ts'
import { assertInside, openTar, openZip, unpackedMax } from './archive.ts'
import { type Spool, type Spools, spoolThrough, type WriteSpool } from './spools.ts'

/** An upload: an archive of files, or one file with its first bytes, by which it is known. */
export type Opened = { files: ExportFiles } | { head: Buffer; spool: Spool; type?: string }

/** So many first bytes say what a file is; a tar says it at byte 257. */
const HEAD_BYTES = 4096
const TAR_MARK_AT = 257

/** An upload as it comes, and whose it is. */
interface Coming {
  accountId: string
  upload: Upload
}

/**
 * Spools an upload, unpacks it when it is gzipped, and gives it to `work`; it is gone when that ends. Throws what
 * spooling it and what opening an archive throws.
 */
export async function withUpload<T>(
  spools: Spools,
  { accountId, upload }: Coming,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  return spools.during(accountId, async (write) => {
    const open: Spool[] = []
    try {
      if (upload.parts) return await work({ files: await filesOf(upload.parts, write, open) })
      let spool = await write(upload.chunks)
      open.push(spool)
      let head = await headOf(spool)
      if (isGzip(head)) {
        spool = await spoolThrough(write, spool, createGunzip(), unpackedMax(spool.bytes))
        open.push(spool)
        head = await headOf(spool)
      }
      const found = await opened(spool, head)
      return await work('files' in found ? found : { ...found, type: upload.type })
    } finally {
      for (const spool of open) await spool.close()
    }
  })
}

/** The files of a form, each spooled by itself. */
async function filesOf(parts: NonNullable<Upload['parts']>, write: WriteSpool, open: Spool[]): Promise<ExportFiles> {
  const files = new Map<string, ExportFile>()
  for await (const { name, chunks } of parts) {
    if (files.size >= FORM_FILES_MAX) throw new Fault('archive_too_large', { detail: FORM_TOO_LARGE })
    assertInside(name)
    const spool = await write(chunks)
    open.push(spool)
    files.set(name, { name, bytes: spool.bytes, open: () => spool.read() })
  }
  if (files.size === 0) throw new Fault('unknown_format', { detail: 'The form has no file.' })
  return {
    names: [...files.keys()],
    files: async function* (isWanted) {
      for (const file of files.values()) if (isWanted(file.name)) yield file
    },
  }
}

/** Each file of a form is one open file of the system. */
const FORM_FILES_MAX = 100
const FORM_TOO_LARGE = 'A form has at most 100 files; send more of them as one archive.'

async function opened(spool: Spool, head: Buffer): Promise<Opened> {
  if (isZip(head)) {
    const files = await openZip(spool)
    return isDocument(files.names) ? { head, spool } : { files: withoutRoot(files) }
  }
  if (head.toString('latin1', TAR_MARK_AT, TAR_MARK_AT + 5) === 'ustar')
    return { files: withoutRoot(await openTar(spool)) }
  return { head, spool }
}

async function headOf(spool: Spool): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of spool.read(0, Math.min(HEAD_BYTES, spool.bytes))) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b
}

function isZip(head: Buffer): boolean {
  return ['PK\x03\x04', 'PK\x05\x06'].includes(head.toString('latin1', 0, 4))
}

/** The files without a folder that holds all of them, so that a folder is the same however it was packed. */
function withoutRoot(files: ExportFiles): ExportFiles {
  const tidy = (name: string) => name.replace(/^(?:\.\/)+/, '')
  const [first = ''] = files.names.map(tidy)
  const root = first.slice(0, first.indexOf('/') + 1)
  const isShared = root !== '' && files.names.every((name) => tidy(name).startsWith(root))
  const shown = (name: string) => tidy(name).slice(isShared ? root.length : 0)
  return {
    names: files.names.map(shown),
    files: async function* (isWanted) {
      for await (const file of files.files((name) => isWanted(shown(name)))) yield { ...file, name: shown(file.name) }
    },
  }
}
