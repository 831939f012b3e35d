import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Cairn, openCairn } from '../../packages/server/src/app.ts'
import { newId } from '../../packages/server/src/base/id.ts'
import { openLog } from '../../packages/server/src/base/log.ts'
import { toConfig } from '../../packages/server/src/config/config.ts'
import type { Env } from '../../packages/server/src/config/env.ts'
import { readSecrets } from '../../packages/server/src/config/secrets.ts'
import type { Sql } from '../../packages/server/src/db/open.ts'
import { newApiKey } from '../../packages/server/src/features/accounts/key-format.ts'
import { insertAccount, insertKey } from '../../packages/server/src/features/accounts/store.ts'
import { type EngineKind, onEachEngine } from './postgres.ts'
import { TestClock } from './test-clock.ts'

/** What an operation answered. */
export interface Answer {
  status: number
  headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came, and fails when it is not there.
  body: any
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT'

/** Calls the API as one account; strings and buffers go as they are, everything else as JSON. */
export type Call = (method: Method, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>

/** An account with a key of its own. */
export interface TestAccount {
  userId: string
  key: string
  call: Call
}

/** The whole program on real engines, without a socket. */
export interface TestApp {
  cairn: Cairn
  clock: TestClock
  kind: EngineKind
  /** Every line that the program logged. */
  logged: string[]
  newAccount(): Promise<TestAccount>
  /** Calls without a credential unless the headers bring one. */
  anonymous: Call
}

/** A sandbox with a source, and the paths to use it by. */
export interface TestSandbox {
  id: string
  storage: string
  source: string
  records: string
  query: string
}

/** Runs a suite on each SQL engine with the whole program open on it. */
export function onEachApp(suite: (app: () => TestApp) => void, env: Env = {}): void {
  onEachEngine((sql, kind) => {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-app-'))
    let app: TestApp
    beforeAll(async () => {
      app = await openTestApp(sql(), kind, { CAIRN_DATA: folder, ...env })
    })
    afterAll(async () => {
      await app?.cairn.close()
      rmSync(folder, { recursive: true, force: true })
    })
    suite(() => app)
  })
}

async function openTestApp(sql: Sql, kind: EngineKind, env: Env): Promise<TestApp> {
  const clock = new TestClock()
  const logged: string[] = []
  const config = toConfig(env)
  const log = openLog('debug', clock, (line) => void logged.push(line))
  const cairn = await openCairn(config, readSecrets(env, config), { clock, log, sql })
  return {
    cairn,
    clock,
    kind,
    logged,
    anonymous: callWith(cairn, {}),
    newAccount: async () => {
      const userId = newId('account', clock)
      const key = newApiKey()
      await sql.transact(userId, async (tx) => {
        await insertAccount(tx, userId, 'Test account', clock.now())
        const id = newId('key', clock)
        await insertKey(tx, { userId, id, name: 'test', key, createdAt: clock.now(), expiresAt: null })
      })
      return { userId, key, call: callWith(cairn, { authorization: `Bearer ${key}` }) }
    },
  }
}

function callWith(cairn: Cairn, always: Record<string, string>): Call {
  return async (method, path, body, headers = {}) => {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
    const reply = await cairn.http.inject({
      method,
      url: path,
      headers: { ...always, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { payload: isRaw ? body : JSON.stringify(body) }),
    })
    const isJson = String(reply.headers['content-type']).startsWith('application/json')
    return {
      status: reply.statusCode,
      headers: reply.headers as Record<string, string>,
      body: isJson ? reply.json() : reply.body,
    }
  }
}

/** Makes a sandbox with one source. */
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

/** Puts records in and waits until they can be queried; returns the finished job. */
export async function putRecords(
  call: Call,
  { records: path }: TestSandbox,
  records: unknown[],
): Promise<Answer['body']> {
  const { status, body } = await call('POST', path, { records }, { prefer: 'wait=30' })
  if (status !== 200 || body.status !== 'completed') throw new Error(`records not applied: ${JSON.stringify(body)}`)
  return body
}
