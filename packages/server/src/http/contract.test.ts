import { featureOperations, operations } from '@cairnstore/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { newId } from '../base/id.ts'
import { openLog } from '../base/log.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import type { HttpApp, HttpHandlers } from './context.ts'
import { type HttpServer, openHttp } from './server.ts'

type Features = typeof featureOperations

const id = newId('sandbox', systemClock)
/** A tier without a read limit, so that reads are not counted. */
const limits = { free: { reads_per_minute: null } }
const answers: Partial<Record<keyof Features, unknown>> = {}
let http: HttpServer

beforeAll(async () => {
  const names = Object.keys(featureOperations) as (keyof Features)[]
  const handlers = Object.fromEntries(names.map((name) => [name, async () => answers[name]]))
  http = await openHttp({
    operations: featureOperations,
    handlers: handlers as unknown as HttpHandlers<Features>,
    app: {
      limits,
      clock: systemClock,
      log: openLog('silent', systemClock, () => {}),
      publicUrl: 'http://127.0.0.1:8484',
    } as unknown as HttpApp,
    authenticate: async () => ({ accountId: 'acct_1', credential: { kind: 'api_key', id: newId('key', systemClock) } }),
    accessOf: async () =>
      ({ allows: () => true, tier: 'free', sandbox: { caller_key: null } }) as unknown as AccessScope,
    isReady: async () => true,
    version: '0.0.0',
  })
})

afterAll(() => http.close(1000))

const get = (url: string) => http.inject({ url, headers: { authorization: 'Bearer x' } })

test('every operation of the contract is served at its path, and there are no others', async () => {
  for (const { method, path } of Object.values(operations)) {
    const url = path.replace(':sandbox_id', id).replace(/:(\w+)/g, 'x')
    const { statusCode } = await http.inject({ method, url })
    // A public operation can fail only because of its body.
    expect([401, 422, 200, 204], `${method} ${path}`).toContain(statusCode)
  }
})

test('the reply filter keeps all fields of a record, with declarations in either form', async () => {
  const record = {
    record_id: newId('record', systemClock),
    sandbox_id: id,
    external_id: null,
    type: 'issue',
    title: 'A "quoted" title',
    relations: [
      {
        subject: 'Priya',
        predicate: 'works_for',
        object: { type: 'team', name: 'Ops', aliases: ['O'] },
        valid_from: null,
      },
    ],
    entities: [{ type: 'person', name: 'Priya', identifiers: { email: 'p@example.org', login: ['p', 'q'] } }],
    properties: { depth: { of: ['anything', 1, null] } },
  }
  answers.getRecord = { ...record, secret: 'x' }
  const found = await get(`/api/v1/storage/sandboxes/${id}/records/${record.record_id}`)
  expect(found.json()).toEqual(record)
})

test('the reply filter keeps a nullable choice, a nullable time and an open result', async () => {
  const job = {
    job_id: newId('job', systemClock),
    status: 'completed',
    job_type: 'records',
    encrypted: false,
    result: { received: 1, failed: 1, errors: [{ line: 1, reason: 'missing', detail: 'x.' }], more: 1 },
    error_message: null,
    retry_count: 0,
    created_at: '2026-03-14T09:26:53.000Z',
    completed_at: null,
  }
  answers.getJob = job
  expect((await get(`/api/v1/storage/sandboxes/${id}/ingest/${job.job_id}`)).json()).toEqual(job)
})

test('a reply without a required field is an internal error, not a partial reply', async () => {
  answers.getSandbox = { sandbox_id: id }
  expect((await get(`/api/v1/storage/sandboxes/${id}`)).statusCode).toBe(500)
})
