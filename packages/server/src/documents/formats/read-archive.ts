import { createGunzip } from 'node:zlib'
import postalMime from 'postal-mime'
import { Parser, type ReadEntry } from 'tar'
import { type DocumentFile, Refusal } from '../document.ts'
import type { ZipMembers } from '../zip-members.ts'

/** Files within one file, and what they may hold together. */
const FILES_MAX = 10_000
const BYTES_MAX = 256 * 1024 * 1024
/** Copies of files that a Mac adds, and files that are hidden. */
const PASSED_OVER = /(?:^|\/)(?:__MACOSX\/|\.)/
const NESTING_MAX = 64

/** The files of a zip within a file, one after the other. */
export async function* filesOfZip(zip: ZipMembers): AsyncGenerator<DocumentFile> {
  for (const name of zip.names) if (!PASSED_OVER.test(name)) yield { name, bytes: await zip.bytes(name) }
}

/** The files of a tar. Throws `file_damaged` and `took_too_much`. */
export async function* filesOfTar(bytes: Uint8Array): AsyncGenerator<DocumentFile> {
  const files: DocumentFile[] = []
  let total = 0
  await new Promise<void>((resolve, reject) => {
    const take = (entry: ReadEntry) => {
      const parts: Buffer[] = []
      total += entry.size
      if (total > BYTES_MAX || files.length >= FILES_MAX) return reject(new Refusal('took_too_much'))
      entry.on('data', (part: Buffer) => void parts.push(part))
      entry.on('end', () => {
        const isFile = entry.type === 'File' || entry.type === 'OldFile'
        if (isFile && !PASSED_OVER.test(entry.path)) files.push({ name: entry.path, bytes: Buffer.concat(parts) })
      })
    }
    const parser = new Parser({ strict: true, onReadEntry: take })
    parser.on('end', () => resolve()).on('error', () => reject(new Refusal('file_damaged')))
    parser.end(Buffer.from(bytes))
  })
  yield* files
}

/** What a gzip holds, under its name without the ending. Throws `file_damaged` and `took_too_much`. */
export async function unpacked({ name, bytes }: DocumentFile): Promise<DocumentFile> {
  const parts: Buffer[] = []
  let total = 0
  const stream = createGunzip()
  stream.end(Buffer.from(bytes))
  try {
    for await (const part of stream) {
      total += (part as Buffer).length
      if (total > BYTES_MAX) throw new Refusal('took_too_much')
      parts.push(part as Buffer)
    }
  } catch (cause) {
    throw cause instanceof Refusal ? cause : new Refusal('file_damaged')
  }
  return { name: name.replace(/\.gz$/i, '').replace(/\.tgz$/i, '.tar'), bytes: Buffer.concat(parts) }
}

/** The files that are attached to a mail, beside those whose text the mail's own record has. */
export async function* filesOfMail(bytes: Uint8Array): AsyncGenerator<DocumentFile> {
  const { attachments } = await postalMime.parse(bytes, { maxNestingDepth: NESTING_MAX })
  for (const [at, { filename, mimeType, content, disposition }] of attachments.entries()) {
    if (WITH_THE_MAIL.has(mimeType) || (disposition === 'inline' && mimeType.startsWith('image/'))) continue
    const whole = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)
    yield { name: filename ?? `attachment ${at + 1}`, type: mimeType, bytes: whole }
  }
}

const WITH_THE_MAIL = new Set([
  'text/plain',
  'text/markdown',
  'text/x-markdown',
  'text/calendar',
  'application/ics',
  'message/rfc822',
])
