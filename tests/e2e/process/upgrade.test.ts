import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Operation, operations } from '@cairnstore/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, withClient } from '../../../packages/server/src/db/engine.ts'
import { migrate, OWNER_ROLE, readMigrations } from '../../../packages/server/src/db/migrate.ts'
import { openEngine, sqlOn } from '../../../packages/server/src/db/open.ts'
import { sampleOf } from '../../harness/operation-samples.ts'
import { type EngineKind, newDatabase, RUN_ON } from '../../harness/postgres.ts'
import { type Ids, makeTenant, type OperationId } from '../../harness/tenant.ts'
import { type Call, openTestApp, putRecords, type TestApp } from '../../harness/test-app.ts'

const LOOK_MS = 50
const LAST = readMigrations().length
const MEMBERS = 52
/**
 * Schema versions to upgrade from: the oldest that can hold a sandbox, the one before webhooks, and the last but one.
 */
const FROM = [13, 29, LAST - 1]
/** Operations that read newer tables or columns, with the migration that created those. */
const SINCE: Partial<Record<OperationId, number>> = {
  listChanges: 29,
  listWebhooks: 30,
  listWebhookDeliveries: 30,
  listMergeSuggestions: 31,
  listAnswers: 50,
  getAnswer: 50,
  listFeedback: 50,
  exportQuestions: 50,
  listMembers: MEMBERS,
  listInvitations: MEMBERS,
  listGroups: MEMBERS,
  listGroupRoles: MEMBERS,
  listEvaluations: 53,
  getEvaluation: 53,
}
/** Fields that differ between any two reads. */
const RESTLESS = ['execution_time_ms', 'last_used_at', 'use_count', 'request_id']

/** Operations that store their answers, which other operations would then list. */
const STORES: readonly OperationId[] = ['search', 'interpret']

/** A table with its rows as JSON. */
interface Filled {
  name: string
  rows: string[]
}

/** Replies of read operations by operation id. */
type Answers = Map<OperationId, unknown>

/** Read operations. The export comes last because it writes an audit event. */
const READING = (Object.keys(operations) as OperationId[])
  .filter((id) => {
    const { method, access, rated }: Operation = operations[id]
    return (method === 'GET' || rated === 'queries') && access !== 'public'
  })
  .toSorted((one, other) => Number(one === 'exportKnowledge') - Number(other === 'exportKnowledge'))

describe.each(RUN_ON)('data of an older database on %s', (kind) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-upgrade-'))
  let key: string
  let ids: Ids
  let tables: Filled[]
  let before: Answers

  beforeAll(async () => {
    const made = join(folder, 'made')
    const database = await newDatabase(kind)
    const engine = await openEngine(database.target)
    const app = await openTestApp(sqlOn(engine), kind, { CAIRN_DATA: made })
    const account = await app.newAccount()
    key = account.key
    ids = (await makeTenant(account.call, app.admin, 'Harbour')).ids
    await app.cairn.close()
    tables = await rowsIn(engine)
    cpSync(made, join(folder, 'again'), { recursive: true })
    const again = await openTestApp(sqlOn(engine), kind, { CAIRN_DATA: join(folder, 'again') })
    before = await answersOf(again, ids, key)
    await again.cairn.close()
    await engine.close()
    database.remove()
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(FROM)('of migration %i: everything answers as before, and work continues', async (from) => {
    const own = join(folder, String(from))
    cpSync(join(folder, 'made'), own, { recursive: true })
    const database = await newDatabase(kind)
    const engine = await openEngine(database.target)
    const app = await upgraded(engine, kind, from, tables, own)
    try {
      await untilReindexed(app, ids, key)
      const after = await answersOf(app, ids, key)
      const old = READING.filter((id) => (SINCE[id] ?? 0) <= from)
      expect(old.map((id) => [id, after.get(id)])).toEqual(old.map((id) => [id, before.get(id)]))
      await assertGoesOn(app, ids, key)
    } finally {
      await app.cairn.close()
      await engine.close()
      database.remove()
    }
  })
})

/** Returns all rows by table. Referenced tables come first. */
async function rowsIn(engine: Engine): Promise<Filled[]> {
  return asOwner(engine, async (ask) => {
    const names = (await ask<{ name: string }>(TABLES)).map(({ name }) => name)
    const all: Filled[] = []
    for (const name of names) {
      await ask(`alter table ${name} no force row level security`)
      const rows = await ask<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`)
      await ask(`alter table ${name} force row level security`)
      all.push({ name, rows: rows.map(({ row }) => row) })
    }
    return all
  })
}

const TABLES = `with recursive refers as (
    select conrelid as child, confrelid as parent from pg_constraint where contype = 'f' and conrelid <> confrelid
  ), depth as (
    select oid, 0 as level from pg_class
      where relkind in ('r', 'p') and not relispartition
        and relnamespace = 'public'::regnamespace and relname <> 'migration'
    union
    select child, level + 1 from refers join depth on parent = oid
  )
  select oid::regclass::text as name from depth group by oid order by max(level), 1`

const EMPTY = 'drop schema public cascade; create schema public; grant usage on schema public to public'

/** Opens the server on the tables of an earlier migration, filled with the columns of these rows that existed then. */
async function upgraded(
  engine: Engine,
  kind: EngineKind,
  from: number,
  tables: readonly Filled[],
  folder: string,
): Promise<TestApp> {
  await withClient(engine, (client) => client.query(EMPTY, []))
  await migrate(engine, readMigrations().slice(0, from))
  await asOwner(engine, async (ask) => {
    const filled = new Map(tables.map(({ name, rows }) => [name, rows]))
    for (const { name } of await ask<{ name: string }>(TABLES)) {
      const all = filled.get(name) ?? []
      // Members are stored as accounts, which older schemas would show as separate accounts.
      const rows = from < MEMBERS ? all.filter((row) => !JSON.parse(row).member_of) : all
      if (rows.length === 0) continue
      // Dropped columns are omitted, so they get their default values.
      const [columns] = await ask<{ list: string }>(
        `select string_agg(quote_ident(attname), ', ' order by attnum) as list from pg_attribute
          where attrelid = '${name}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''
            and $1::jsonb ? attname`,
        [rows[0]],
      )
      const { list } = columns!
      await ask(`alter table ${name} no force row level security`)
      await ask(
        `insert into ${name} (${list}) overriding system value select ${list}
          from unnest($1::text[]) as each(row), lateral jsonb_populate_record(null::${name}, each.row::jsonb)`,
        [rows],
      )
      await ask(`alter table ${name} force row level security`)
    }
  })
  await migrate(engine)
  return openTestApp(sqlOn(engine), kind, { CAIRN_DATA: folder })
}

type Ask = <T>(text: string, values?: unknown[]) => Promise<T[]>

/** Works as the owner of the tables, which can bypass row level security. */
async function asOwner<T>(engine: Engine, work: (ask: Ask) => Promise<T>): Promise<T> {
  return withClient(engine, async (client) => {
    const ask: Ask = async <R>(text: string, values: unknown[] = []) => (await client.query<R>(text, values)).rows
    await ask(`begin; set local role ${OWNER_ROLE}`)
    const result = await work(ask)
    await ask('commit')
    return result
  })
}

/** Returns a `call` with this key. */
function callWith(app: TestApp, key: string): Call {
  return (method, path, body, headers) =>
    app.anonymous(method, path, body, { authorization: `Bearer ${key}`, ...headers })
}

/** Resolves once every record is reindexed. Reindexing is a commit, so it would change other replies. */
async function untilReindexed(app: TestApp, ids: Ids, key: string): Promise<void> {
  const usage = `/api/v1/storage/sandboxes/${ids.sandbox_id}/usage`
  while ((await callWith(app, key)('GET', usage)).body.rereading.waiting > 0) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

/** Returns the replies of every read operation for these ids. */
async function answersOf(app: TestApp, ids: Ids, key: string): Promise<Answers> {
  const call = callWith(app, key)
  const answers: Answers = new Map()
  for (const id of READING) {
    const { method, url, body: sample } = sampleOf(id, ids, 'upgrade')
    const body = STORES.includes(id) ? { ...(sample as object), store: false } : sample
    const by = operations[id].access === 'admin' ? app.admin : call
    const answer = await by(method, url, body)
    expect(answer.status, `${id}: ${JSON.stringify(answer.body)}`).toBeLessThan(500)
    // The rates of the last minute also differ between reads.
    const { status, body: shown } = answer
    answers.set(id, [status, id === 'getSandboxUsage' ? withoutRates(shown) : rested(shown)])
  }
  return answers
}

/** Removes the fields that differ between any two reads. */
function rested(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rested)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !RESTLESS.includes(name))
  return Object.fromEntries(kept.map(([name, inner]) => [name, rested(inner)]))
}

function withoutRates(usage: object): unknown {
  return Object.fromEntries(Object.entries(usage).filter(([name]) => !name.endsWith('_per_minute')))
}

/** Checks that a record can be written and appears in changes, and that a webhook can be created and notified. */
async function assertGoesOn(app: TestApp, ids: Ids, key: string): Promise<void> {
  const call = callWith(app, key)
  const storage = `/api/v1/storage/sandboxes/${ids.sandbox_id}`
  const query = storage.replace('/storage/', '/query/')
  const source = { id: ids.sandbox_id, storage, query, source: ids.source_id }
  const firstPage = await call('GET', `${storage}/changes?limit=1000`)
  const note = { external_id: 'new', type: 'note', text: 'The lighthouse of Skagen was painted white.' }
  await putRecords(call, { ...source, records: `${storage}/sources/${ids.source_id}/records` }, [note])
  const { body } = await call('POST', `${query}/search`, { query: 'What was painted white?' })
  expect(body.answer).toContain('lighthouse of Skagen')
  const more = await call('GET', `${storage}/changes?since=${firstPage.body.next_cursor}`)
  expect([firstPage.status, more.status]).toEqual([200, 200])
  expect(more.body.changes).toContainEqual(expect.objectContaining({ kind: 'record', change: 'added', type: 'note' }))
  const made = await call('POST', `${storage}/webhooks`, { url: 'https://hooks.invalid/upgraded' })
  expect(made.status).toBe(201)
  expect((await call('DELETE', `${storage}/webhooks/${made.body.webhook_id}`)).status).toBe(200)
}
