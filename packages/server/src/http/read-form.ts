import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import { Fault } from '../base/fault.ts'
import type { UploadedFile } from '../tenancy/handler.ts'

type Form = InstanceType<typeof Busboy>

/** Maximum number of parts of a form, including fields that are not files. */
const PARTS_MAX = 100
/** Maximum number of header lines of a part, and of bytes in each. */
const HEADERS_MAX = 32
const HEADER_BYTES_MAX = 8 * 1024
const FIELD_BYTES_MAX = 1_024
/** Maximum length of a file name in characters. It equals the limit for the path of a single uploaded file. */
const NAME_CHARS_MAX = 1_024

/**
 * Yields the files of a `multipart/form-data` body in order. Each file must be read before the next. A fault that ends
 * the form also ends the current file. Throws `bad_request` for a body that is not a form, is incomplete or has a field
 * that is not a file, and `archive_too_large` for too many parts.
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

const NO_FIELDS = 'Send options in the query string; the form accepts only files.'
const NAME_TOO_LONG = `The name of a file has at most ${NAME_CHARS_MAX} characters.`
const TOO_MANY_PARTS = `A form has at most ${PARTS_MAX} parts; send more files as one archive.`

/** Yields a file's content. Throws the form's fault if the form ends first. */
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
  return new Fault('bad_request', { detail: 'The body is not a valid multipart form with a boundary.', cause })
}
