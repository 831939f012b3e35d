import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import { Fault } from '../base/fault.ts'
import type { UploadedFile } from '../tenancy/handler.ts'

type Form = InstanceType<typeof Busboy>

/** Parts of one form, whatever they are named and whether they are files or not. */
const PARTS_MAX = 100
/** Header lines of a part, and bytes of each. */
const HEADERS_MAX = 32
const HEADER_BYTES_MAX = 8 * 1024
const FIELD_BYTES_MAX = 1_024
/** Characters of a file's name: as many as the path of a file that is sent by itself may have. */
const NAME_CHARS_MAX = 1_024

/**
 * Yields the files of a `multipart/form-data` body in their order; each is to be read before the next. Whatever ends
 * the form early also ends the content of its files with the same fault. Throws `bad_request` for a body that is no
 * form, has a field that is no file, or breaks off, and `archive_too_large` for too many parts.
 */
export async function* readForm(chunks: AsyncIterable<Buffer>, contentType: string): AsyncGenerator<UploadedFile> {
  const form = openForm(contentType)
  const waiting: UploadedFile[] = []
  const open = new Set<Readable>()
  let end: { failure?: Error } | undefined
  let wake: () => void = () => undefined
  const endWith = (failure?: Error) => {
    if (end) return
    end = failure ? { failure } : {}
    if (failure) for (const content of open) content.destroy(failure)
    wake()
  }
  form.on('file', (_field: string, content: Readable, name = '') => {
    open.add(content)
    content.on('error', (cause) => endWith(asFault(cause))).on('close', () => open.delete(content))
    if (name.length > NAME_CHARS_MAX) return endWith(new Fault('bad_request', { detail: NAME_TOO_LONG }))
    if (end?.failure) content.destroy(end.failure)
    waiting.push({ name: name || 'file', chunks: contentOf(content, () => end?.failure) })
    wake()
  })
  form.on('field', () => endWith(new Fault('bad_request', { detail: NO_FIELDS })))
  form.on('partsLimit', () => endWith(new Fault('archive_too_large', { detail: TOO_MANY_PARTS })))
  form.on('finish', () => endWith()).on('error', (cause: unknown) => endWith(asFault(cause)))
  const feeding = pipeline(Readable.from(chunks), form).catch((cause) => endWith(asFault(cause)))
  try {
    while (!end?.failure) {
      const file = waiting.shift()
      if (file) yield file
      else if (end) break
      else await new Promise<void>((resolve) => (wake = resolve))
    }
    if (end?.failure) throw end.failure
    await feeding
  } finally {
    form.destroy()
  }
}

const NO_FIELDS = 'Send options in the query; the form takes only files.'
const NAME_TOO_LONG = `The name of a file has at most ${NAME_CHARS_MAX} characters.`
const TOO_MANY_PARTS = `A form has at most ${PARTS_MAX} parts; send more files as one archive.`

/** Reads a file's content; throws the form's fault when that ends first. */
async function* contentOf(content: Readable, failure: () => Error | undefined): AsyncGenerator<Buffer> {
  try {
    yield* content
  } catch (cause) {
    throw failure() ?? asFault(cause)
  }
}

function openForm(contentType: string): Form {
  try {
    const limits = {
      parts: PARTS_MAX,
      fieldSize: FIELD_BYTES_MAX,
      headerPairs: HEADERS_MAX,
      headerSize: HEADER_BYTES_MAX,
    }
    return new Busboy({ headers: { 'content-type': contentType }, preservePath: true, limits })
  } catch (cause) {
    throw asFault(cause)
  }
}

function asFault(cause: unknown): Fault {
  if (cause instanceof Fault) return cause
  return new Fault('bad_request', { detail: 'The body is no multipart form with its boundary.', cause })
}
