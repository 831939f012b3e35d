import { setTimeout as sleep } from 'node:timers/promises'
import type { Operation, Problem } from '@cairnstore/contract'
import { Failure, type FailureBody } from './failure.ts'
import { fieldsOf, type Inputs, type Shape, spelled } from './inputs.ts'
import { note, printable } from './output.ts'
import type { Settings } from './settings.ts'

/** Erasing what is large takes its time; the runtime itself waits no longer than this for an answer. */
const ANSWER_MS = 300_000

/** The connection was never made, so nothing was asked for. */
const NEVER_SENT = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  // A port that `fetch` speaks to for nobody, since another protocol has it; it is told by its message alone.
  'bad port',
]

/** How often, and how long at once, a command waits where the service says that it has had enough for now. */
const WAITS_MAX = 10
const WAIT_SECONDS_MAX = 300
const TOO_MANY = 429
const MILLISECONDS = 1000

/**
 * Sends one request and gives the reply's JSON; throws Failure for everything else that can come of it. Where the
 * service takes no more for now (429) it waits as long as it is told, and says so.
 */
export async function call(operation: Operation, inputs: Inputs, settings: Settings): Promise<unknown> {
  return patiently(settings, () => callOnce(operation, inputs, settings))
}

/** Does a request again where it was refused for now; nothing came of it then. */
export async function patiently<T>(settings: Settings, request: () => Promise<T>): Promise<T> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await request()
    } catch (error) {
      const seconds = error instanceof Failure && error.status === TOO_MANY ? error.retryAfterSeconds : undefined
      if (seconds === undefined || seconds > WAIT_SECONDS_MAX || waits === WAITS_MAX) throw error
      note(settings, `The service takes no more for now (429). Waiting ${seconds} s, as it says.`)
      await sleep(seconds * MILLISECONDS)
    }
  }
}

async function callOnce(operation: Operation, inputs: Inputs, settings: Settings): Promise<unknown> {
  const reply = await send(operation, inputs, settings, 'application/json')
  let text: string
  try {
    text = await reply.text()
  } catch (error) {
    throw unanswered(error, operation, settings)
  }
  return answered(reply, text, operation, settings)
}

/**
 * Sends one request, with more headers where it has some, until the signal says that nobody waits; gives the reply when
 * its headers are there, and throws Failure when none comes.
 */
export async function send(
  operation: Operation,
  inputs: Inputs,
  settings: Settings,
  accept: string,
  { headers, signal }: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  const query = new URLSearchParams(inputs.query).toString()
  const address = `${settings.url}${inputs.path}${query && `?${query}`}`
  try {
    return await fetch(address, {
      method: operation.method,
      headers: {
        ...headers,
        ...credentials(operation, settings),
        accept,
        ...(inputs.body && { 'content-type': 'application/json' }),
      },
      ...(inputs.body && { body: JSON.stringify(inputs.body) }),
      // A redirected POST becomes a GET, and the key would go wherever the answer points.
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(ANSWER_MS), ...(signal ? [signal] : [])]),
    })
  } catch (error) {
    throw unanswered(error, operation, settings)
  }
}

/** What opens the service, and what opens the content where the operation has to do with it. */
export function credentials({ content }: Operation, { key, encryptionKey }: Settings): Record<string, string> {
  return {
    ...(key && { authorization: `Bearer ${key}` }),
    ...(content && encryptionKey && { 'x-encryption-key': encryptionKey }),
  }
}

/** The JSON of a reply whose whole text came; throws Failure for everything else that it can be. */
export function answered(reply: Response, text: string, operation: Operation, settings: Settings): unknown {
  const body = parsed(text)
  if (reply.ok && isReplyOf(operation, body)) return body
  throw isErrorBody(body) ? refused(reply, body, operation, settings) : unexpected(reply, settings)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a reply has the outline that the contract gives it, which what another service says has not. */
function isReplyOf({ reply }: Operation, body: unknown): boolean {
  return [reply?.json, reply?.otherwise?.json].some((shape) => shape !== undefined && fits(shape as Shape, body))
}

function fits({ type, required = [] }: Shape, body: unknown): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body) !== (type === 'array')) return false
  return required.every((name) => name in body)
}

function isErrorBody(body: unknown): body is FailureBody & { request_id?: string; errors?: Problem[] } {
  const { error, detail } = (body ?? {}) as Partial<FailureBody>
  return typeof error === 'string' && typeof detail === 'string'
}

/** The service was asked and said no. */
function refused(
  reply: Response,
  body: FailureBody & { request_id?: string; errors?: Problem[] },
  operation: Operation,
  { url, keyName }: Settings,
): Failure {
  const request = body.request_id ? `, request ${body.request_id}` : ''
  // What fails while an answer is streamed has no status of its own.
  const status = reply.ok ? '' : `${reply.status} `
  const lines = [`${body.detail} (${status}${body.error}${request})`]
  const fields = fieldsOf(operation)
  for (const { loc, msg } of body.errors ?? []) {
    const field = fields.find(({ name }) => name === loc[1])
    lines.push(`  ${field ? spelled(field) : loc.join('.')}: ${msg}`)
  }
  if (reply.status === 401) lines.push(`  The service at ${url} does not take the key in ${keyName}.`)
  const seconds = reply.headers.get('retry-after')
  if (seconds) lines.push(`  Try again in ${seconds} s.`)
  const told = new Failure(lines.map(printable).join('\n'), body)
  return Object.assign(told, { status: reply.status, retryAfterSeconds: secondsOf(seconds) })
}

/** The wait that a reply names, in whole seconds; undefined for one that names a date or nothing. */
function secondsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header.trim()) ? Number(header) : undefined
}

/** Something answered, but not as a Cairn service does. */
function unexpected(reply: Response, { url }: Settings): Failure {
  const target = reply.headers.get('location')
  const detail = target
    ? `${url} sends on to ${target}. Set CAIRN_URL to the address of the service itself.`
    : `${url} answered ${reply.status}, but not as a Cairn service does. Check CAIRN_URL and what stands before it.`
  return new Failure(printable(detail), { error: 'unexpected_answer', detail, status: reply.status })
}

/** The failure of a request to which no answer came, or not the whole of it. */
export function unanswered(error: unknown, { method, retry, path }: Operation, { url }: Settings): Failure {
  const { cause, name, message } = error as Error & { cause?: { code?: string; message?: string } }
  const why = name === 'TimeoutError' ? `${ANSWER_MS / 1000} s passed` : (cause?.code ?? cause?.message ?? message)
  if (NEVER_SENT.includes(cause?.code ?? cause?.message ?? '')) {
    const next = 'Start it with `npm start` in its clone, or set CAIRN_URL to where it is.'
    const detail = `No service answers at ${url} (${why}). ${next}`
    return new Failure(detail, { error: 'unreachable', detail })
  }
  const isKnown = method === 'GET' || retry === 'safe'
  const next = isKnown
    ? 'It is safe to run this again.'
    : 'Whether it took effect is unknown: list what is there before you run it again.'
  const detail = `${method} ${url}${path} got no whole answer (${why}). ${next}`
  return new Failure(printable(detail), { error: 'unanswered', detail })
}
