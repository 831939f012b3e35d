import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import { Fault } from '../base/fault.ts'
import type { UploadedFile } from '../tenancy/handler.ts'
import type { Held } from './body-budget.ts'

/** How much of a body is read, and for how long. */
interface BodyLimits {
  maxBytes: number
  timeoutMs: number
  /** What of a body that does not say its length is counted as it comes; a declared one is counted before. */
  held?: Held | undefined
  /** The body is read and dropped; the operation gets an empty one. */
  isForgotten?: boolean
}

/**
 * Every byte of a body. Throws `payload_too_large` as soon as it is known, `request_timeout` when the whole has not
 * come in time, and what counting throws; what then still comes is left unread.
 */
export function readBody(stream: Readable, declaredBytes: number | undefined, limits: BodyLimits): Promise<Buffer> {
  if (declaredBytes !== undefined && declaredBytes > limits.maxBytes) throw new Fault('payload_too_large')
  const isCounted = limits.held !== undefined && declaredBytes === undefined
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const timer = setTimeout(() => finish(new Fault('request_timeout')), limits.timeoutMs)
    const finish = (fault?: Fault) => {
      clearTimeout(timer)
      stream.off('data', onChunk).off('end', onEnd).off('error', onError).off('close', onError)
      if (fault === undefined) return resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
      stream.pause()
      reject(fault)
    }
    const onChunk = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > limits.maxBytes) return finish(new Fault('payload_too_large'))
      if (limits.isForgotten) return
      try {
        if (isCounted) limits.held?.resize(bytes)
      } catch (fault) {
        return finish(fault as Fault)
      }
      chunks.push(chunk)
    }
    const onEnd = () => finish()
    const onError = () => finish(new Fault('bad_request', { detail: 'The body broke off.' }))
    stream.on('data', onChunk).on('end', onEnd).on('error', onError).on('close', onError)
  })
}

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
