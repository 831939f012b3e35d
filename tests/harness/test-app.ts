import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterAll, beforeAll } from 'vitest'
import { type Cairn, type CairnOptions, openCairn } from '../../packages/server/src/app.ts'
import { newId } from '../../packages/server/src/base/id.ts'
import { openLog } from '../../packages/server/src/base/log.ts'
import { toConfig } from '../../packages/server/src/config/config.ts'
import type { Env } from '../../packages/server/src/config/env.ts'
import { DEFAULT_LIMITS } from '../../packages/server/src/config/limits.ts'
import { readSecrets } from '../../packages/server/src/config/secrets.ts'
import type { Sql } from '../../packages/server/src/db/open.ts'
import { newApiKey } from '../../packages/server/src/tenancy/accounts/key-format.ts'
import { insertAccount, insertKey } from '../../packages/server/src/tenancy/accounts/store.ts'
import { assertNoCanary, assertUnseen, CANARY } from './canary.ts'
import { type EngineKind, onEachEngine } from './postgres.ts'
import { makeThings } from './tenant.ts'
import { TestClock } from './test-clock.ts'

/** Reply of an operation. */
export interface Answer {
  status: number
  headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came, and fails when it is not there.
  body: any
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT'

/** Calls the API as one account. Strings and buffers are sent as they are, everything else as JSON. */
export type Call = (method: Method, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>

/** An account with its own API key. */
export interface TestAccount {
  userId: string
  key: string
  call: Call
}

/** Sends a request without a socket. Throws if the reply contains data of the bystander. */
export type Inject = (request: InjectRequest) => Promise<InjectReply>

/** A request without a socket. */
export interface InjectRequest {
  method: Method | 'HEAD' | 'OPTIONS'
  url: string
  headers?: Record<string, string>
  payload?: string | Buffer | Readable
  /** Apparent client address; loopback if omitted. */
  remoteAddress?: string
}

interface InjectReply {
  statusCode: number
  headers: Record<string, unknown>
  payload: string
  rawPayload: Buffer
}

/**
 * The whole server on real engines, without a socket. In addition to the test's accounts there is a bystander account.
 * Its canary must not be in any reply, row, log line or object name of others.
 */
export interface TestApp {
  cairn: Omit<Cairn, 'http'> & { http: { inject: Inject; close: Cairn['http']['close'] } }
  clock: TestClock
  kind: EngineKind
  /** Data folder. */
  folder: string
  /** All log lines. */
  logged: string[]
  newAccount(): Promise<TestAccount>
  /** Throws if data of the bystander has leaked. */
  assertUnseen(): Promise<void>
  /** Calls without a credential, unless the headers contain one. */
  anonymous: Call
  /** Calls with the operator's key. */
  admin: Call
}

/** A sandbox with a source, and their paths. */
export interface TestSandbox {
  id: string
  storage: string
  source: string
  records: string
  query: string
}

/** Operator key of every test app. */
export const TEST_ADMIN_KEY = 'an-admin-key-of-the-tests'

/** No limit on sandboxes, because a suite creates one per case in the same account. */
const LIMITS = { ...DEFAULT_LIMITS, free: { ...DEFAULT_LIMITS.free, max_sandboxes: null } }

/**
 * Defaults of test apps. Tests never call vendors' servers and use the limits of a multi-tenant host. The built-in
 * encoder takes a second to load and finds records that lexical search must not find, so only suites that test it
 * enable it.
 */
const USUAL: Env = {
  CAIRN_ENCODER: 'off',
  CAIRN_LINEAR_MCP_URL: 'https://linear.invalid/mcp',
  CAIRN_LIMITS: JSON.stringify(LIMITS),
}

/** Master key of every test app, so that an app can be reopened on its database. */
export const TEST_MASTER_KEY = Buffer.alloc(32, 'cairn').toString('base64')

/** Runs a suite on each SQL engine of the run with the whole server open on it. */
export function onEachApp(
  suite: (app: () => TestApp) => void,
  env: Env = {},
  more: Pick<CairnOptions, 'findProfile'> = {},
): void {
  onEachEngine((sql, kind) => {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-app-'))
    let app: TestApp
    beforeAll(async () => {
      app = await openTestApp(sql(), kind, { CAIRN_DATA: folder, ...env }, more)
    })
    afterAll(async () => {
      try {
        await app?.assertUnseen()
      } finally {
        await app?.cairn.close()
        rmSync(folder, { recursive: true, force: true })
      }
    })
    suite(() => app)
  })
}

/** Opens the whole server on a database that is already open. */
export async function openTestApp(
  sql: Sql,
  kind: EngineKind,
  given: Env,
  more: Pick<CairnOptions, 'findProfile'> = {},
): Promise<TestApp> {
  const env: Env = { CAIRN_ADMIN_KEY: TEST_ADMIN_KEY, CAIRN_MASTER_KEY: TEST_MASTER_KEY, ...USUAL, ...given }
  const clock = new TestClock()
  const logged: string[] = []
  const config = toConfig(env)
  const log = openLog('debug', clock, (line) => void logged.push(line))
  const opened = await openCairn(config, readSecrets(env, config), { clock, log, sql, ...more })
  const inject: Inject = (request) => opened.http.inject(request)
  const watched: Inject = async (request) => {
    const reply = await inject(request)
    // The operator has access to every account.
    if (request.url.startsWith('/api/v1/admin/')) return reply
    assertNoCanary(`${JSON.stringify(reply.headers)}\n${reply.payload}`, `${request.method} ${request.url}`)
    return reply
  }
  const addAccount = async () => {
    const userId = newId('account', clock)
    const key = newApiKey()
    await sql.transact(userId, async (tx) => {
      await insertAccount(tx, userId, 'Test account', clock.now())
      const id = newId('key', clock)
      await insertKey(tx, { userId, id, name: 'test', key, createdAt: clock.now(), expiresAt: null })
    })
    return { userId, key }
  }
  const admin = callWith(watched, { authorization: `Bearer ${TEST_ADMIN_KEY}` })
  const userIds: string[] = []
  let bystander: Promise<unknown> | undefined
  return {
    cairn: { ...opened, http: { inject: watched, close: (graceMs) => opened.http.close(graceMs) } },
    clock,
    kind,
    folder: config.folder,
    logged,
    anonymous: callWith(watched, {}),
    admin,
    newAccount: async () => {
      // Created only after another account exists, so that a suite can start without accounts.
      bystander ??= addAccount().then(({ key }) =>
        makeThings(callWith(inject, { authorization: `Bearer ${key}` }), admin, CANARY),
      )
      await bystander
      const { userId, key } = await addAccount()
      userIds.push(userId)
      return { userId, key, call: callWith(watched, { authorization: `Bearer ${key}` }) }
    },
    assertUnseen: () => assertUnseen(sql, userIds, logged, config.storage.root),
  }
}

function callWith(inject: Inject, always: Record<string, string>): Call {
  return async (method, path, body, headers = {}) => {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
    const reply = await inject({
      method,
      url: path,
      headers: { ...always, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { payload: isRaw ? body : JSON.stringify(body) }),
    })
    const isJson = String(reply.headers['content-type']).startsWith('application/json')
    return {
      status: reply.statusCode,
      headers: reply.headers as Record<string, string>,
      body: isJson ? JSON.parse(reply.payload) : reply.payload,
    }
  }
}

/** Creates a sandbox with one source. */
export async function newSandbox(call: Call, name = 'Sandbox', tier = 'pro'): Promise<TestSandbox> {
  const { body: sandbox } = await call('POST', '/api/v1/storage/sandboxes', { name, owner_id: 'owner', tier })
  const storage = `/api/v1/storage/sandboxes/${sandbox.sandbox_id}`
  const { body: source } = await call('POST', `${storage}/sources`, { provider: 'slack', name: 'Chat' })
  return {
    id: sandbox.sandbox_id,
    storage,
    source: source.data_source_id,
    records: `${storage}/sources/${source.data_source_id}/records`,
    query: `/api/v1/query/sandboxes/${sandbox.sandbox_id}`,
  }
}

/** Ingests records and waits until they can be queried. Returns the finished job. */
export async function putRecords(
  call: Call,
  { records: path }: TestSandbox,
  records: unknown[],
): Promise<Answer['body']> {
  const { status, body } = await call('POST', path, { records }, { prefer: 'wait=60' })
  if (status !== 200 || body.status !== 'completed') throw new Error(`records not applied: ${JSON.stringify(body)}`)
  return body
}
