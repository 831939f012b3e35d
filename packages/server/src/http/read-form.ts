import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import { Fault } from '../base/fault.ts'
import type { UploadedFile } from '../tenancy/handler.ts'

type Form = InstanceType<typeof Busboy>

const HEADERS_MAX = 32
const FIELD_BYTES_MAX = 1_024

/**
 * The files of a `multipart/form-data` body in their order; each is to be read before the next comes. Throws
 * `bad_request` for a body that is none, or has a field that is no file: options stand in the query.
 */
export async function* readForm(chunks: AsyncIterable<Buffer>, contentType: string): AsyncGenerator<UploadedFile> {
  const form = openForm(contentType)
  const files: UploadedFile[] = []
  let isOver = false
  let failure: unknown
  let wake: () => void = () => undefined
  const end = (cause?: unknown) => {
    failure ??= cause
    isOver = true
    wake()
  }
  form.on('file', (_field: string, content: Readable, name: string | undefined) => {
    content.on('error', end)
    files.push({ name: name || 'file', chunks: content })
    wake()
  })
  form.on('field', () =>
    end(new Fault('bad_request', { detail: 'Options stand in the query, files alone in the form.' })),
  )
  form.on('finish', () => end()).on('error', (cause: unknown) => end(malformed(cause)))
  const feeding = feed(form, chunks).catch(end)
  try {
    while (failure === undefined) {
      const file = files.shift()
      if (file) yield file
      else if (isOver) break
      else await new Promise<void>((resolve) => (wake = resolve))
    }
    if (failure !== undefined) throw failure
    await feeding
  } finally {
    form.destroy()
  }
}

function openForm(contentType: string): Form {
  try {
    const limits = { fieldSize: FIELD_BYTES_MAX, headerPairs: HEADERS_MAX }
    return new Busboy({ headers: { 'content-type': contentType }, preservePath: true, limits })
  } catch (cause) {
    throw malformed(cause)
  }
}

function malformed(cause: unknown): Fault {
  return new Fault('bad_request', { detail: 'The body is no multipart form with its boundary.', cause })
}

async function feed(form: Form, chunks: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of chunks)
    if (!form.write(chunk)) await Promise.race([once(form, 'drain'), once(form, 'close')])
  form.end()
}
