import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { type Engine, withClient } from '../../packages/server/src/db/engine.ts'
import { openEngine, type Sql, type SqlTarget, sqlOn } from '../../packages/server/src/db/open.ts'
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

/**
 * Runs a suite once on each engine of this run, with an empty database that nobody else uses from its first test to its
 * last. A suite may change rows alone: the next one is given the same tables.
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

/** An engine on an empty database, as `onEachEngine` has it, for the suite that asks. */
export function lendEngine(kind: EngineKind): () => Engine {
  let engine: Engine | undefined
  beforeAll(async () => {
    engine = kept.get(kind) ?? (await openKept(kind))
    kept.delete(kind)
    await empty(engine)
  })
  afterAll(() => {
    if (engine) kept.set(kind, engine)
  })
  return () => engine as Engine
}

/**
 * Databases that suites before have used, open: an engine takes longer to start, and to warm up, than most suites to
 * run. They end with the process, and their folders with the test run.
 */
const kept = new Map<EngineKind, Engine>()

async function openKept(kind: EngineKind): Promise<Engine> {
  const place = await ask(kind)
  if (kind === 'postgres') return openEngine({ url: place })
  const folder = mkdtempSync(join(dirname(place), 'kept-'))
  cpSync(place, folder, { recursive: true })
  return openEngine({ folder })
}

/** Removes every row but those that say which migrations were made. */
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
