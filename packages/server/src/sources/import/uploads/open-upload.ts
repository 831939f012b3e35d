import { createGunzip } from 'node:zlib'
import { Fault, invalid } from '../../../base/fault.ts'
import { isDocument } from '../../../documents/detect.ts'
import type { Upload } from '../../../tenancy/handler.ts'
import type { ExportFile, ExportFiles } from '../../connectors/export-reader.ts'
import { assertInside, openTar, openZip, unpackedMax } from './archive.ts'
import { type Spool, type Spools, spoolThrough, type WriteSpool } from './spools.ts'

/** An opened upload: the files of an archive, or one file with the first bytes that identify its format. */
export type OpenedUpload = { files: ExportFiles } | { head: Buffer; spool: Spool; type?: string }

/** Number of first bytes that are inspected. The magic string of a tar is at byte 257. */
const HEAD_BYTES = 4096
const TAR_MARK_AT = 257
/** Output chunk size in bytes. Each chunk is one disk write; zlib's default of 16 KiB would cause 16 times as many. */
const CHUNK_BYTES = 256 * 1024

/** An incoming upload and its account. */
interface IncomingUpload {
  accountId: string
  upload: Upload
}

/** A completely received upload. */
export interface ReceivedUpload {
  readonly spool: Spool
  /** The media type of an upload that is a single file. */
  readonly type?: string
  /** The files of a form, concatenated in the spool in this order. */
  readonly files?: readonly { readonly name: string; readonly bytes: number }[]
}

/** Spools an upload, opens it, passes it to `work` and removes it. Throws the faults of reading and of `work`. */
export async function withUpload<T>(
  spools: Spools,
  { accountId, upload }: IncomingUpload,
  work: (opened: OpenedUpload, arrived: ReceivedUpload) => Promise<T>,
): Promise<T> {
  return spools.during(accountId, async (write, slot) => {
    const arrived = upload.parts ? await receiveForm(upload.parts, write) : await receiveFile(upload, write)
    slot.received()
    return withReceived(write, arrived, (opened) => work(opened, arrived))
  })
}

/** Opens a received upload, decompresses it if it is gzipped, and closes it when `work` ends. */
export async function withReceived<T>(
  write: WriteSpool,
  arrived: ReceivedUpload,
  work: (opened: OpenedUpload) => Promise<T>,
): Promise<T> {
  const { spool, type, files } = arrived
  const open = [spool]
  try {
    if (files) return await work({ files: filesOf(spool, files) })
    let [file, head] = [spool, await headOf(spool)]
    if (isGzip(head)) {
      file = await spoolThrough(write, spool, createGunzip({ chunkSize: CHUNK_BYTES }), unpackedMax(spool.bytes))
      open.push(file)
      head = await headOf(file)
    }
    const found = await opened(file, head)
    return await work('files' in found || type === undefined ? found : { ...found, type })
  } finally {
    for (const each of open) await each.close()
  }
}

async function receiveFile({ type, chunks }: Upload, write: WriteSpool): Promise<ReceivedUpload> {
  return { spool: await write(chunks), type }
}

/** Writes the files of a form to one spool, so that a form with many files needs only one file descriptor. */
async function receiveForm(parts: NonNullable<Upload['parts']>, write: WriteSpool): Promise<ReceivedUpload> {
  const files: { name: string; bytes: number }[] = []
  const names = new Set<string>()
  const contents = async function* (): AsyncGenerator<Uint8Array> {
    for await (const { name, chunks } of parts) {
      assertInside(name)
      if (names.has(name)) throw invalid(['body'], DUPLICATE_PATH)
      names.add(name)
      let bytes = 0
      for await (const chunk of chunks) {
        bytes += chunk.length
        yield chunk
      }
      files.push({ name, bytes })
    }
  }
  const spool = await write(contents())
  if (files.length > 0) return { spool, files }
  await spool.close()
  throw new Fault('unknown_format', { detail: 'The form has no file.' })
}

const DUPLICATE_PATH = 'Two files of the form have the same path. Give each file a path of its own.'

function filesOf(spool: Spool, files: NonNullable<ReceivedUpload['files']>): ExportFiles {
  let end = 0
  const all = files.map(({ name, bytes }): ExportFile => {
    const from = end
    end += bytes
    return { name, bytes, open: () => spool.read(from, from + bytes) }
  })
  return {
    names: all.map(({ name }) => name),
    files: async function* (isWanted) {
      for (const file of all) if (isWanted(file.name)) yield file
    },
  }
}

async function opened(spool: Spool, head: Buffer): Promise<OpenedUpload> {
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

/** Removes a common root folder from the paths, so that they do not depend on how the folder was packed. */
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
