import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Job, operations } from '@cairnstore/contract'
import { answered, call, credentials, patiently, unanswered } from './call.ts'
import { Failure } from './failure.ts'
import { type Inputs, toInputs } from './inputs.ts'
import { type Progress, size } from './progress.ts'
import type { Settings } from './settings.ts'

/** What is sent to be imported. It is opened anew when the service wants it later. */
export interface Content {
  open(): AsyncIterable<Uint8Array>
  type: string
  /** About so many bytes, for who waits; undefined where nobody knows. */
  bytes: number | undefined
}

const { importKnowledge, getJob } = operations
const FIRST_LOOK_MS = 100
const JOB_LOOK_MS = 1000

/** Sends content to be imported, waits until it is taken in, and gives the job. Throws Failure when it is refused. */
export async function upload(
  inputs: Inputs,
  content: Content,
  settings: Settings,
  { sandboxId, progress, title }: { sandboxId: string; progress: Progress; title: string },
): Promise<Job> {
  const query = new URLSearchParams(inputs.query).toString()
  const address = `${settings.url}${inputs.path}${query && `?${query}`}`
  const sent = await patiently(settings, () => {
    progress.begin(`Sending ${title}`, content.bytes, size)
    const body = Readable.from(counted(content, progress, `Reading ${title}`), { objectMode: false })
    return send(address, body, content.type, settings)
  })
  return finished(sent as Partial<Job>, sandboxId, settings, progress)
}

/** The content, whose bytes are told as they go; once they are gone, the service reads them. */
async function* counted({ open, bytes }: Content, progress: Progress, then: string): AsyncGenerator<Uint8Array> {
  let sent = 0
  for await (const part of open()) {
    yield part
    sent += part.length
    if (bytes !== undefined) progress.reached(Math.min(sent, bytes))
  }
  progress.begin(then, undefined)
}

/** An import is slowed to the sandbox's rate, so that its answer may take hours, which `fetch` does not wait for. */
async function send(address: string, body: Readable, type: string, settings: Settings): Promise<unknown> {
  const headers = { ...credentials(importKnowledge, settings), accept: 'application/json', 'content-type': type }
  const request = (address.startsWith('https:') ? requestHttps : requestHttp)(address, { method: 'POST', headers })
  const reply = new Promise<{ status: number; text: string; retryAfter: string }>((resolve, reject) => {
    request.on('error', reject)
    request.on('response', (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part)).on('error', reject)
      response.on('end', () => {
        const { statusCode: status = 0, headers: sent } = response
        resolve({ status, text: Buffer.concat(parts).toString(), retryAfter: sent['retry-after'] ?? '' })
      })
    })
  })
  try {
    // A refusal may come before all is sent, and then nobody reads the rest.
    const sending = pipeline(body, request)
    const { status, text, retryAfter } = await Promise.race([reply, sending.then(() => reply)])
    sending.catch(() => undefined)
    const made = new Response(text, { status, headers: retryAfter ? { 'retry-after': retryAfter } : {} })
    return answered(made, text, importKnowledge, settings)
  } catch (error) {
    throw error instanceof Failure
      ? error
      : unanswered({ cause: error, message: String(error) }, importKnowledge, settings)
  } finally {
    request.destroy()
  }
}

/** The job when it has ended. */
export async function finished(
  sent: Partial<Job>,
  sandboxId: string,
  settings: Settings,
  progress: Progress,
): Promise<Job> {
  let job = sent
  let isCounted = false
  for (let waitMs = FIRST_LOOK_MS; isGoing(job); waitMs = Math.min(JOB_LOOK_MS, 2 * waitMs)) {
    await sleep(waitMs)
    job = (await call(getJob, toInputs(getJob, [sandboxId, sent.job_id!], {}), settings)) as Job
    const { received = 0, written = 0, unchanged = 0, removed = 0, failed = 0 } = job.result ?? {}
    if (received > 0 && !isCounted) progress.begin('Taking in records', received)
    isCounted ||= received > 0
    progress.reached(written + unchanged + removed + failed)
  }
  return job as Job
}

function isGoing({ status }: Partial<Job>): boolean {
  return status === 'queued' || status === 'processing'
}
