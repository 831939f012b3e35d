import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { type Cairn, openCairn } from '../../packages/server/src/app.ts'
import { type Clock, systemClock } from '../../packages/server/src/base/clock.ts'
import { newId } from '../../packages/server/src/base/id.ts'
import { openLog } from '../../packages/server/src/base/log.ts'
import { toConfig } from '../../packages/server/src/config/config.ts'
import { openSql, type Sql } from '../../packages/server/src/db/open.ts'
import { newApiKey } from '../../packages/server/src/features/accounts/key-format.ts'
import { insertAccount, insertKey } from '../../packages/server/src/features/accounts/store.ts'
import { ENGINES, type EngineKind, newDatabase, type TestDatabase } from './postgres.ts'

/** A reply, with its body as it is on the wire. */
export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: A test asserts what a body is; its type would only repeat the schema.
  body: any
  headers: Record<string, unknown>
}

/** Someone with an account, who talks to the service over HTTP. */
export interface Person {
  userId: string
  key: string
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  patch(path: string, body?: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
  /** Makes a sandbox of this account and returns its id. */
  newSandbox(name?: string): Promise<string>
}

/** The program on an empty database, and its clock. */
export interface TestApp {
  cairn: Cairn
  sql: Sql
  clock: TestClock
  newPerson(): Promise<Person>
  /** Anyone who sends this bearer token. */
  withToken(key: string): Omit<Person, 'userId' | 'newSandbox'>
}

/** A clock that runs, and can be put forward. */
export interface TestClock extends Clock {
  advance(ms: number): void
}

/** Root of the paths of sandboxes. */
export const SANDBOXES = '/api/v1/storage/sandboxes'

const OPEN_MS_MAX = 120_000
const SECRET = { cursorKey: Buffer.alloc(32, 7), bootstrapApiKey: null }

/** Runs a suite once on each engine, against the whole program. */
export function onEachApp(suite: (app: () => TestApp, kind: EngineKind) => void): void {
  describe.each(ENGINES)('on %s', (kind) => {
    let folder: string
    let database: TestDatabase
    let app: TestApp
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'cairn-app-'))
      database = await newDatabase(kind)
      app = await openTestApp(folder, await openSql(database.target))
    }, OPEN_MS_MAX)
    afterAll(async () => {
      await app?.cairn.close()
      database?.remove()
      rmSync(folder, { recursive: true, force: true })
    })
    suite(() => app, kind)
  })
}

async function openTestApp(folder: string, sql: Sql): Promise<TestApp> {
  const clock = testClock()
  const log = openLog('silent', clock, () => undefined)
  const cairn = await openCairn(toConfig({ CAIRN_DATA: folder }), SECRET, { clock, log, sql })
  const withToken = (key: string) => requester(cairn, key)
  const newPerson = async () => {
    const userId = newId('account', clock)
    const key = newApiKey()
    const createdAt = clock.now()
    await sql.transact(userId, async (tx) => {
      await insertAccount(tx, userId, 'Someone', createdAt)
      await insertKey(tx, { userId, id: newId('key', clock), name: 'test', key, createdAt, expiresAt: null })
    })
    const person = requester(cairn, key)
    const newSandbox = async (name = `Sandbox ${newId('sandbox', clock)}`) => {
      const { status, body } = await person.post(SANDBOXES, { name, owner_id: 'owner' })
      if (status !== 201) throw new Error(`No sandbox: ${status} ${JSON.stringify(body)}`)
      return body.sandbox_id as string
    }
    return { ...person, userId, newSandbox }
  }
  return { cairn, sql, clock, newPerson, withToken }
}

function requester(cairn: Cairn, key: string) {
  const call = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: unknown): Promise<Answer> => {
    const reply = await cairn.http.inject({
      method,
      url,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    })
    return {
      status: reply.statusCode,
      body: reply.payload ? JSON.parse(reply.payload) : undefined,
      headers: reply.headers,
    }
  }
  return {
    key,
    get: (path: string) => call('GET', path),
    post: (path: string, body?: unknown) => call('POST', path, body),
    patch: (path: string, body?: unknown) => call('PATCH', path, body),
    delete: (path: string) => call('DELETE', path),
  }
}

function testClock(): TestClock {
  let ahead = 0
  return {
    now: () => new Date(systemClock.now().getTime() + ahead),
    advance: (ms) => {
      ahead += ms
    },
  }
}
