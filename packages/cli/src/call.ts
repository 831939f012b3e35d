import { setTimeout as sleep } from 'node:timers/promises'
import {
  ApiError,
  Cairn,
  CairnError,
  type CallOptions,
  type Paged,
  UnansweredError,
  UnexpectedReplyError,
} from '@cairnstore/client'
import { type Operation, operations } from '@cairnstore/contract'
import { type FieldSchema, fieldsOf, listFieldOf, type OperationInput, spelled } from './inputs.ts'
import { Failure, note, type OutputRow, print, printable, tableOf, usageFailure } from './output.ts'
import type { Settings } from './settings.ts'

/** Maximum seconds that a command waits if the service limits its rate. */
const WAIT_SECONDS_MAX = 300
const [OK, UNAUTHORIZED] = [200, 401]

/** Calls one operation and returns its reply. Throws Failure for an error reply or a missing one. */
export function call(
  operation: Operation,
  input: OperationInput,
  settings: Settings,
  options: CallOptions = {},
): Promise<unknown> {
  return withFailure(operation, settings, async () =>
    replyOf(operation, await ask(operation, input, settings, options)),
  )
}

const IDS = new Map(Object.entries(operations as Record<string, Operation>).map(([id, operation]) => [operation, id]))
const clients = new WeakMap<Settings, Cairn>()

/** Returns a client for the service and key. It prints a note when it waits because of a Retry-After header. */
export function clientOf(settings: Settings): Cairn {
  const { url, key: apiKey, encryptionKey } = settings
  const onWait = (seconds: number, failure: CairnError) => {
    const { status, retryAfterSeconds } = failure as Partial<ApiError>
    if (retryAfterSeconds === undefined) return
    note(settings, `The service is limiting requests (${status}). Retrying in ${seconds} s.`)
  }
  const found =
    clients.get(settings) ??
    new Cairn({
      url,
      apiKey,
      ...(encryptionKey && { encryptionKey }),
      readsEnvironment: false,
      waitSecondsMax: WAIT_SECONDS_MAX,
      onWait,
    })
  clients.set(settings, found)
  return found
}

/** Yields the pages of a list as they arrive. Throws Failure as `call` does. */
async function* pages(operation: Operation, input: OperationInput, settings: Settings): AsyncGenerator<OutputRow> {
  const list = ask(operation, input, settings) as Paged<OutputRow, unknown> | Promise<OutputRow>
  if (!('pages' in list)) return yield (await withFailure(operation, settings, () => list)) as OutputRow
  const left = list.pages()
  for (;;) {
    const { done, value } = await withFailure(operation, settings, () => left.next())
    if (done) return
    yield value
  }
}

/** Calls the client method of an operation and returns its result, a promise or a paged list. */
function ask(operation: Operation, input: OperationInput, settings: Settings, options: CallOptions = {}): unknown {
  const client = clientOf(settings) as unknown as Record<
    string,
    (asked: OperationInput, options: CallOptions) => unknown
  >
  return client[IDS.get(operation)!]!(input, options)
}

/** Runs a call of an operation and converts each CairnError to a Failure. */
export async function withFailure<T>(operation: Operation, settings: Settings, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CairnError)) throw error
    throw Object.assign(failureOf(error, operation, settings), { cause: error })
  }
}

/** Returns the reply if it has the required fields of the contract. Throws UnexpectedReplyError otherwise. */
function replyOf({ reply: { json, otherwise } = {} }: Operation, reply: unknown): unknown {
  const fits = ({ type, required = [] }: FieldSchema) =>
    Array.isArray(reply) === (type === 'array') && required.every((name) => name in Object(reply))
  if ([json, otherwise?.json].some((shape) => shape && fits(shape as FieldSchema))) return reply
  throw new UnexpectedReplyError(OK, JSON.stringify(reply))
}

function failureOf(error: CairnError, operation: Operation, settings: Settings): Failure {
  if (error instanceof ApiError) return refused(error, operation, settings)
  if (error instanceof UnansweredError) return unanswered(error, operation, settings)
  const { message, status, location } = error as Partial<UnexpectedReplyError> & CairnError
  if (status === undefined) return new Failure(message, { error: 'unexpected_answer', detail: message })
  const detail = location
    ? `${settings.url} redirects to ${location}. Set CAIRN_URL to the address of the service itself.`
    : `${settings.url} replied with ${status}, but is not a Cairn service. Check CAIRN_URL and any proxy there.`
  return new Failure(printable(detail), { error: 'unexpected_answer', detail, status })
}

/** Returns the Failure for an error reply of the service. */
function refused(error: ApiError, operation: Operation, { url, keyName }: Settings): Failure {
  const request = error.requestId ? `, request ${error.requestId}` : ''
  // An error within a streamed answer has no HTTP status of its own.
  const status = error.status === OK ? '' : `${error.status} `
  const lines = [`${error.detail} (${status}${error.code}${request})`]
  const fields = fieldsOf(operation)
  for (const { loc, msg } of error.errors) {
    const field = fields.find(({ name }) => name === loc[1])
    lines.push(`  ${field ? spelled(field) : loc.join('.')}: ${msg}`)
  }
  if (error.status === UNAUTHORIZED) lines.push(`  The service at ${url} rejects the key from ${keyName}.`)
  if (error.retryAfterSeconds !== undefined) lines.push(`  Try again in ${error.retryAfterSeconds} s.`)
  return Object.assign(new Failure(lines.map(printable).join('\n'), { ...error.body }), { status: error.status })
}

/** Returns the Failure for a missing or incomplete reply. */
function unanswered({ why, wasSent }: UnansweredError, { method, retry, path }: Operation, { url }: Settings): Failure {
  if (!wasSent) {
    const next = 'Start it with `npm start` in its clone, or set CAIRN_URL to its address.'
    const detail = `No service answers at ${url} (${why}). ${next}`
    return new Failure(detail, { error: 'unreachable', detail })
  }
  const next =
    method === 'GET' || retry === 'safe'
      ? 'It is safe to run the command again.'
      : 'It is unknown whether it took effect. List the current state before you run it again.'
  const detail = `${method} ${url}${path} got no complete reply (${why}). ${next}`
  return new Failure(printable(detail), { error: 'unanswered', detail })
}

/** A list to print, with the request for it. */
export interface Listing {
  operation: Operation
  columns: readonly string[]
  asked: OperationInput
  settings: Settings
  asJson: boolean
  /** True to keep polling at the end of the list for later rows, until the user stops it. */
  isFollowed: boolean
}

/** Milliseconds between polls at the end of a followed list. */
const POLL_MS = 1000

/** Returns true if a list can be followed, because its cursor stays valid at the end. */
export function canBeFollowed({ query, reply }: Operation): boolean {
  return 'since' in propertiesOf(query) && 'has_more' in propertiesOf(reply?.json)
}

function propertiesOf(schema: unknown): Record<string, FieldSchema> {
  return ((schema ?? {}) as FieldSchema).properties ?? {}
}

/** Prints every row page by page: as a table, as one JSON array, or line by line for a followed list. */
export async function listRows(listing: Listing): Promise<void> {
  const { asJson, isFollowed } = listing
  let { columns } = listing
  let shown = 0
  for await (const rows of pagesOf(listing)) {
    if (rows.length === 0) continue
    if (shown === 0) columns = columnsFor(columns, rows)
    if (!asJson) await print(tableOf(columns, rows, shown === 0))
    else await print(isFollowed ? linesOf(rows) : jsonOf(rows, shown === 0))
    shown += rows.length
  }
  if (asJson && !isFollowed) await print(shown === 0 ? '[]\n' : '\n]\n')
  else if (shown === 0) note(listing.settings, 'None.')
}

/** Returns the columns to show. Omits the tier if the service has no limits. */
export function columnsFor(columns: readonly string[], rows: readonly OutputRow[]): readonly string[] {
  const isUnlimited = rows.every(({ limits }) => limits && Object.values(limits).every((limit) => limit === null))
  return isUnlimited ? columns.filter((column) => column !== 'tier') : columns
}

function jsonOf(rows: OutputRow[], isFirst: boolean): string {
  return `${isFirst ? '[' : ','}\n  ${rows.map((row) => JSON.stringify(row)).join(',\n  ')}`
}

function linesOf(rows: OutputRow[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

/** Yields the pages of a list until its end or the requested number of rows. A followed list never ends. */
export async function* pagesOf({ operation, asked, settings, isFollowed }: Listing): AsyncGenerator<OutputRow[]> {
  const rowsMax = (asked.limit as number | undefined) ?? Number.POSITIVE_INFINITY
  const limit = asked.limit && Math.min(rowsMax, propertiesOf(operation.query).limit?.maximum ?? rowsMax)
  const name = listFieldOf(operation)
  let { since } = asked
  let left = rowsMax
  for (;;) {
    for await (const page of pages(operation, { ...asked, limit, since }, settings)) {
      const rows = (name === undefined ? page : page[name]) as OutputRow[]
      yield rows.slice(0, left)
      left -= rows.length
      if (left <= 0) return
      since = page.next_cursor
    }
    if (!isFollowed) return
    await sleep(POLL_MS)
  }
}

/** A sandbox with its name. */
export interface NamedSandbox {
  sandbox_id: string
  name: string
}

const ID = /^sbx_/
const SHOWN_MAX = 5

/** Returns the sandbox with the given id or name, or the only one. Throws Failure if none or several match. */
export async function sandboxOf(settings: Settings): Promise<string> {
  const { sandbox } = settings
  if (sandbox !== undefined && ID.test(sandbox)) return sandbox
  const named = (await listSandboxes(settings)).filter(({ name }) => sandbox === undefined || name === sandbox)
  const [only, other] = named
  if (only && !other) return only.sandbox_id
  const shown = named.slice(0, SHOWN_MAX).map(({ sandbox_id: id, name }) => `${id} "${name}"`)
  const several = `Select one with --sandbox: ${shown.join(', ')}${named.length > SHOWN_MAX ? ' …' : '.'}`
  if (other && sandbox === undefined) throw usageFailure(`There are several sandboxes. ${several}`)
  const detail = other
    ? `Several sandboxes are called "${sandbox}". ${several}`
    : sandbox === undefined
      ? 'There is no sandbox yet. `cairn init` creates one.'
      : `No sandbox is called "${sandbox}". \`cairn sandboxes\` lists them.`
  throw new Failure(detail, { error: 'no_sandbox_named', detail })
}

/** A sandbox that the key can access, with its owner. */
export interface AccessibleSandbox extends NamedSandbox {
  owner_id: string
  access: string
}

/** Returns the first 1,000 sandboxes that the key can access. */
export async function listSandboxes(settings: Settings): Promise<AccessibleSandbox[]> {
  const reply = await call(operations.listSandboxes, {}, settings)
  return (reply as { sandboxes: AccessibleSandbox[] }).sandboxes
}
