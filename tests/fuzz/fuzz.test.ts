import { type Operation, openApi, operations } from '@cairnstore/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { documentedBy } from '../harness/documented.ts'
import { SAMPLES } from '../harness/operation-samples.ts'
import {
  callOver,
  openSender,
  type RealProcess,
  type Send,
  startProcess,
  type WireReply,
} from '../harness/real-process.ts'
import { filled, type Ids, makeTenant, type OperationId, type Tenant } from '../harness/tenant.ts'
import { REJECTED } from './arbitraries.ts'
import { callerKeyHeaders } from './caller-keys.ts'
import { openCursors } from './cursors.ts'
import { deliveriesTo, openEndpoints, type WebhookEndpoint } from './deliveries.ts'
import { type DocumentedOperation, type FuzzRequest, requestsOf } from './requests.ts'

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 2_000)
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(performance.timeOrigin % 1_000_000))
const CONNECTIONS = 8
/** Maximum number of requests for operations with large replies. */
const FEW: Partial<Record<OperationId, number>> = {
  exportKnowledge: 20,
  getMetrics: 20,
  getOpenApi: 20,
  getReference: 20,
}
/** No limits, because this test does not cover rate limits and quotas. */
const NO_LIMITS = {
  max_data_sources: null,
  max_projects: null,
  max_storage_bytes: null,
  max_records: null,
  ingest_records_per_minute: null,
  queries_per_minute: null,
}
const UNLIMITED = JSON.stringify({ free: NO_LIMITS, pro: NO_LIMITS, enterprise: NO_LIMITS })

/** Id fields, with the kinds of objects that they name. */
const NAMED: Record<string, readonly (keyof Ids)[]> = {
  sandbox_id: ['sandbox_id'],
  project_id: ['project_id'],
  data_source_id: ['source_id'],
  data_source_ids: ['source_id'],
  items: ['canonical_id', 'record_id'],
}

interface Path {
  operationId: string
  path: string
  method: string
}

const document = follow(JSON.parse(JSON.stringify(openApi(operations, '0'))))
const documented = documentedBy(operations)
const ALL: (Path & DocumentedOperation)[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, each]) => ({ ...each, method: method.toUpperCase(), path })),
)

type Document = { paths: Record<string, Record<string, DocumentedOperation>>; components: { schemas: object } }

/** Replaces every reference in the document with its schema. */
function follow(raw: Document): Document {
  const schemas = raw.components.schemas as Record<string, unknown>
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as { $ref?: string }
    if ($ref !== undefined) return walk(schemas[$ref.slice($ref.lastIndexOf('/') + 1)])
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each)]))
  }
  return { ...raw, paths: walk(raw.paths) as Document['paths'] }
}

let cairn: RealProcess
let send: Send
let close: () => void
let tenant: Tenant
let endpoints: WebhookEndpoint[]
let sent = 0
const cursors = openCursors()
const statuses = new Map<number, number>()
const jobs: string[] = []

beforeAll(async () => {
  cairn = await startProcess({ CAIRN_LIMITS: UNLIMITED })
  ;({ send, close } = openSender(cairn, CONNECTIONS))
  tenant = await makeTenant(callOver(send), callOver(send), 'marigold')
  endpoints = await openEndpoints(callOver(send), tenant.ids.sandbox_id)
  process.stdout.write(`fuzz: ${REQUESTS} requests, seed ${SEED}\n`)
})

afterAll(async () => {
  const counts = [...statuses].sort(([one], [other]) => one - other).map(([status, count]) => `${status}: ${count}`)
  process.stdout.write(`fuzz: ${sent} requests sent; ${counts.join(', ')}\n`)
  close?.()
  await cairn?.stop()
})

/** Returns what is wrong with a reply; undefined if it conforms. */
function problemOf(id: OperationId, { wrong, query }: FuzzRequest, reply: WireReply): string | undefined {
  const { status, headers, payload } = reply
  const problem = documented(id, { status, contentType: headers['content-type'] ?? '', payload })
  if (problem !== undefined) return problem
  if (status >= 500 && status !== NOT_BUILT) return `${status}: ${payload}`
  if (status >= 400) {
    const body = JSON.parse(payload) as { request_id: string; jsonrpc?: string }
    if (body.jsonrpc === undefined && body.request_id !== headers['x-request-id'])
      return 'the request id of the body is not that of the headers'
    if (payload.includes(REJECTED)) return `a rejected value is repeated: ${payload}`
  }
  if (wrong === 'cursor' && !CURSOR_REFUSALS.includes(status) && !isElsewhere(status, query))
    return `${status} for a forged cursor: ${payload}`
  // `since` may be a cursor or a time, and a generated text is neither.
  const isMadeUp = id === 'listChanges' && query.includes('since=')
  if (wrong === 'nothing' && status === 400 && payload.includes('"invalid_cursor"') && !isMadeUp)
    return `a good cursor is refused: ${payload}`
  if (wrong === 'path' && status < 400) return `${status} for an id that names nothing`
  const isRefused = status === 422 || status === 400
  // If items are validated one by one, only the invalid one fails.
  const mayFailAlone = (operations[id] as Operation).body?.ndjson !== undefined && wrong === 'body'
  // Another request may have left the account without a primary sandbox, which is checked first.
  const lacksPrimary = status === 404 && !operations[id].path.includes(':sandbox_id')
  const mayPass = isRefused || mayFailAlone || lacksPrimary
  if ((wrong === 'body' || wrong === 'query') && !mayPass)
    return `${status} for a request that breaks a rule: ${payload}`
  if (wrong === 'nothing' && isRefused && !isBeyondSchema(payload)) return `a valid request is refused: ${payload}`
  return undefined
}

/** Returns true if a project in the query was not found, which is checked before the cursor. */
function isElsewhere(status: number, query: string): boolean {
  return status === 404 && query.includes('project_id=')
}

/** Statuses for an invalid cursor, or for a URL that the cursor makes too long. */
const CURSOR_REFUSALS = [400, 414]
/** Status of operations that the contract defines as not implemented; the only one above 499 that is allowed. */
const NOT_BUILT = 501
/** Error types of rules that JSON Schema cannot express: a field conflicts with another, or one of two is required. */
const BEYOND_SCHEMA = ['value_error', 'missing']

/**
 * Returns true if an error is about a rule that JSON Schema cannot express: it has a reason, or concerns two fields.
 */
function isBeyondSchema(payload: string): boolean {
  const body = JSON.parse(payload) as {
    reason?: string
    errors?: { type: string }[]
    data_source_id?: null
    jsonrpc?: string
  }
  const { reason, errors = [], jsonrpc } = body
  // The outcome of an MCP server has the specific reason in `error`.
  return (
    reason !== undefined ||
    // Protocol errors follow the protocol's own schemas.
    jsonrpc !== undefined ||
    body.data_source_id === null ||
    (errors.length > 0 && errors.every(({ type }) => BEYOND_SCHEMA.includes(type)))
  )
}

/** Returns the query of a request with its cursor: a returned one or a forged one. */
function queryFor(id: OperationId, { wrong, query, pick }: FuzzRequest): string {
  if (wrong === 'cursor') return [query, `cursor=${cursors.forged(id, pick)}`].filter((part) => part !== '').join('&')
  const goesOn = wrong === 'nothing' && pick % 2 === 1
  return (goesOn ? cursors.own(id, pick >> 1) : undefined) ?? query
}

/** Sends a request for existing ids. Creates fresh objects if the operation consumes them. */
async function ask(operation: Path & DocumentedOperation, request: FuzzRequest): Promise<void> {
  const id = operation.operationId as OperationId
  const fresh = request.wrong === 'nothing' ? await SAMPLES[id].fresh?.(tenant, `fuzz ${sent}`) : {}
  const ids = { ...tenant.ids, ...fresh, ...request.ids }
  const path = filled(operation.path.replace(/\{(\w+)\}/g, ':$1'), ids)
  const query = queryFor(id, request)
  const url = query === '' ? path : `${path}?${query}`
  const body = request.wrong === 'nothing' ? calledNowhere(request.body) : request.body
  const reply = await send(operation.method, url, request.headers, body)
  sent += 1
  statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
  const problem = problemOf(id, request, reply)
  if (problem !== undefined) throw new Error(`${operation.method} ${url}: ${problem}`)
  if (reply.status === 200) cursors.note(id, query, reply.payload)
  if (reply.status === 202 && reply.payload !== '') jobs.push(JSON.parse(reply.payload).status_url ?? '')
}

/**
 * Replaces the addresses in a body with rejected or unresolvable hosts, because a generated one could belong to
 * somebody.
 */
function calledNowhere(body: unknown): unknown {
  const { storage, url } = (body ?? {}) as { storage?: object | null; url?: unknown }
  if (typeof url === 'string') return { ...(body as object), url: `https://hooks.invalid/${url.length}` }
  return storage ? { ...(body as object), storage: { ...storage, endpoint: 'https://localhost' } } : body
}

/** Runs an operation's share of the requests. A failure is shrunk and thrown. */
async function run(operation: Path & DocumentedOperation): Promise<void> {
  const share = Math.ceil((REQUESTS * weightOf(operation)) / ALL.reduce((sum, each) => sum + weightOf(each), 0))
  const numRuns = Math.min(share, FEW[operation.operationId as OperationId] ?? share)
  const known = (field: string) => NAMED[field]?.map((name) => tenant.ids[name])
  const requests =
    operation.operationId === 'receiveDelivery'
      ? deliveriesTo(endpoints)
      : requestsOf(operation, tenant.ids, known, callerKeyHeaders(cairn.apiKey))
  await fc.assert(
    fc.asyncProperty(requests, (request) => ask(operation, request)),
    { seed: SEED, numRuns },
  )
}

/** Returns the weight of an operation; those with a body can be invalid in more ways. */
function weightOf({ requestBody, parameters, operationId }: DocumentedOperation): number {
  if (operationId === 'receiveDelivery') return 4
  if (FEW[operationId as OperationId] !== undefined) return 0.1
  return requestBody ? 4 : parameters.length > 0 ? 1.5 : 0.5
}

it('every reply to random requests conforms to the OpenAPI document', async () => {
  const failures: string[] = []
  const waiting = [...ALL]
  const work = async () => {
    for (let operation = waiting.shift(); operation; operation = waiting.shift()) {
      await run(operation).catch((failure) =>
        failures.push(`${operation?.operationId}: ${failure.message}\n${failure.cause?.message}`),
      )
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  expect(failures.join('\n\n'), `seed ${SEED}`).toBe('')
})

it('everything that was accepted is applied', async () => {
  for (const url of new Set(jobs.filter((each) => each !== ''))) {
    await expect.poll(async () => JSON.parse((await send('GET', url)).payload).status, POLLING).toBe('completed')
  }
})

const POLLING = { interval: 100 }
