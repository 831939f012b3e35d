import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { openSql, type Sql, type SqlTarget } from '../../packages/server/src/db/open.ts'
import './postgres-setup.ts'

/** The engines that the control plane runs on. */
export const ENGINES = ['pglite', 'postgres'] as const
export type EngineKind = (typeof ENGINES)[number]

/** An empty, migrated database of its own. */
export interface TestDatabase {
  target: SqlTarget
  /** Removes what it left on the disk; the server's databases go with the server. */
  remove(): void
}

/** Starting the engines on a busy machine takes a while. */
const OPEN_MS_MAX = 120_000

/** Makes an empty, migrated database by copying one that is made once in a test run. */
export async function newDatabase(kind: EngineKind): Promise<TestDatabase> {
  const place = await ask(kind)
  if (kind === 'postgres') return { target: { url: place }, remove: () => undefined }
  const folder = mkdtempSync(join(tmpdir(), 'cairn-pglite-'))
  cpSync(place, join(folder, 'sql'), { recursive: true })
  return { target: { folder: join(folder, 'sql') }, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The engines of this run: the embedded one unless TEST_ENGINES names others, separated by commas. */
export const RUN_ON = ENGINES.filter((kind) => (process.env.TEST_ENGINES ?? 'pglite').split(',').includes(kind))

/** Runs a suite once on each engine of this run, with a database of its own, open from the first test to the last. */
export function onEachEngine(suite: (sql: () => Sql, kind: EngineKind) => void): void {
  describe.each(RUN_ON)('on %s', (kind) => {
    let database: TestDatabase
    let sql: Sql
    beforeAll(async () => {
      database = await newDatabase(kind)
      sql = await openSql(database.target)
    }, OPEN_MS_MAX)
    afterAll(async () => {
      await sql?.close()
      database?.remove()
    })
    suite(() => sql, kind)
  })
}

function ask(kind: EngineKind): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(inject('databaseDesk'), () => socket.write(`${kind}\n`))
    socket.on('data', (part) => {
      answer += part
    })
    socket.once('error', reject)
    socket.once('end', () => {
      const { place, error } = JSON.parse(answer) as { place?: string; error?: string }
      if (place !== undefined) resolve(place)
      else reject(new Error(error))
    })
  })
}
