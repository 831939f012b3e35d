import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { type Engine, withClient } from '../../packages/server/src/db/engine.ts'
import { openEngine, type Sql, type SqlTarget, sqlOn } from '../../packages/server/src/db/open.ts'
import './postgres-setup.ts'

/** SQL engines of the control plane. */
export const ENGINES = ['pglite', 'postgres'] as const
export type EngineKind = (typeof ENGINES)[number]

/** An empty, migrated database for one user. */
export interface TestDatabase {
  target: SqlTarget
  /** Deletes its files. Databases of a server are deleted with the server. */
  remove(): void
}

/** Creates an empty, migrated database by copying the template of the test run. */
export async function newDatabase(kind: EngineKind): Promise<TestDatabase> {
  const place = await ask(kind)
  if (kind === 'postgres') return { target: { url: place }, remove: () => undefined }
  const folder = mkdtempSync(join(tmpdir(), 'cairn-pglite-'))
  cpSync(place, join(folder, 'sql'), { recursive: true })
  return { target: { folder: join(folder, 'sql') }, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Engines of this run: the embedded one, unless TEST_ENGINES names others, separated by commas. */
export const RUN_ON = ENGINES.filter((kind) => (process.env.TEST_ENGINES ?? 'pglite').split(',').includes(kind))

/**
 * Runs a suite once on each engine of this run with an empty database that no other suite uses at the same time. A
 * suite may change only rows, because the next one gets the same tables.
 */
export function onEachEngine(suite: (sql: () => Sql, kind: EngineKind) => void): void {
  describe.each(RUN_ON)('on %s', (kind) => {
    const engine = lendEngine(kind)
    let sql: Sql
    beforeAll(() => {
      sql = sqlOn(engine())
    })
    suite(() => sql, kind)
  })
}

/** Returns an engine on an empty database for the calling suite, as `onEachEngine` provides it. */
export function lendEngine(kind: EngineKind): () => Engine {
  let engine: Engine | undefined
  beforeAll(async () => {
    engine = kept.get(kind) ?? (await openCopy(kind))
    kept.delete(kind)
    await empty(engine)
  })
  afterAll(() => {
    if (engine) kept.set(kind, engine)
  })
  return () => engine as Engine
}

/**
 * Open databases of earlier suites. Starting and warming up an engine takes longer than running most suites. They end
 * with the process, and their folders are deleted with the test run.
 */
const kept = new Map<EngineKind, Engine>()

async function openCopy(kind: EngineKind): Promise<Engine> {
  const place = await ask(kind)
  if (kind === 'postgres') return openEngine({ url: place })
  const folder = mkdtempSync(join(dirname(place), 'kept-'))
  cpSync(place, folder, { recursive: true })
  return openEngine({ folder })
}

/** Deletes all rows except the list of applied migrations. */
async function empty(engine: Engine): Promise<void> {
  const tables = `select string_agg(quote_ident(tablename), ', ') as names
    from pg_tables where schemaname = current_schema() and tablename <> 'migration'`
  await withClient(engine, async (client) => {
    const { rows } = await client.query<{ names: string }>(tables, [])
    await client.query(`truncate ${rows[0]?.names}`, [])
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
