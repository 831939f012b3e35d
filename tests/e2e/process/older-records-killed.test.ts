import { dirname } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { withClient } from '../../../packages/server/src/db/engine.ts'
import { OWNER_ROLE, readMigrations } from '../../../packages/server/src/db/migrate.ts'
import { openEngine, sqlOn } from '../../../packages/server/src/db/open.ts'
import { storeAsBefore } from '../../harness/older-records.ts'
import { newDatabase } from '../../harness/postgres.ts'
import { callOver, openSender, type RealProcess, startProcess } from '../../harness/real-process.ts'
import { type Call, newSandbox, openTestApp, putRecords, TEST_MASTER_KEY } from '../../harness/test-app.ts'

const LOOK_MS = 10
/** Number of records for several rounds of reindexing, so that a kill can interrupt it. */
const RECORDS = 1_500
const PER_REQUEST = 500
const PAGE = 200
/** Migration that marks the records for reindexing. */
const MIGRATION = readMigrations().find(({ name }) => name.includes('rereading'))!.number

const STATUSES = ['Backlog', 'Started', 'Done']
const records = Array.from({ length: RECORDS }, (_, n) => ({
  external_id: `r${n}`,
  type: 'card',
  title: `Barge ${n}`,
  text: `# Barge ${n}\n\n- [ ] Somebody oils its pump.\n\n${'It came in with the tide. '.repeat(5)}`,
  properties: { status: STATUSES[n % STATUSES.length] },
}))

const database = await newDatabase('pglite')
const folder = dirname((database.target as { folder: string }).folder)
const started: RealProcess[] = []
afterAll(async () => {
  for (const each of started) await each.kill().catch(() => undefined)
  database.remove()
})

/** Creates the folder and its tables as an older version would have left them. */
async function makeFolder() {
  const engine = await openEngine(database.target)
  const app = await openTestApp(sqlOn(engine), 'pglite', { CAIRN_DATA: folder })
  const { userId, key, call } = await app.newAccount()
  const sandbox = await newSandbox(call)
  for (let at = 0; at < RECORDS; at += PER_REQUEST) await putRecords(call, sandbox, records.slice(at, at + PER_REQUEST))
  await storeAsBefore(app, { userId, sandboxId: sandbox.id })
  await app.cairn.close()
  await withClient(engine, async (client) => {
    await client.query(`begin; set local role ${OWNER_ROLE}; alter table sandbox_head drop column reread_up_to`, [])
    await client.query(`delete from migration where number = ${MIGRATION}; commit`, [])
  })
  await engine.close()
  return { sandbox, key }
}

async function start(apiKey: string): Promise<{ process: RealProcess; call: Call }> {
  const process = await startProcess({ CAIRN_MASTER_KEY: TEST_MASTER_KEY }, { folder, apiKey })
  started.push(process)
  return { process, call: callOver(openSender(process, 1).send) }
}

it('reindexing of old records survives a kill: none twice, none lost', async () => {
  const { sandbox, key } = await makeFolder()
  const waiting = async (call: Call): Promise<number> =>
    (await call('GET', `${sandbox.storage}/usage`)).body.rereading.waiting
  const ids = async (call: Call, filter = '') => {
    const found: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await call('GET', `${sandbox.storage}/records?limit=${PAGE}${filter}${cursor}`)
      found.push(...body.records.map(({ external_id: id }: { external_id: string }) => id))
      if (!body.next_cursor) return found.toSorted()
      cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
    }
  }
  const first = await start(key)
  let left = RECORDS
  while (left === RECORDS) {
    left = await waiting(first.call)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  await first.process.kill()
  expect(left).toBeGreaterThan(0)
  const { call } = await start(key)
  expect(await waiting(call)).toBeLessThanOrEqual(left)
  while ((await waiting(call)) > 0) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  expect(await ids(call)).toEqual(records.map(({ external_id: id }) => id).toSorted())
  for (const [at, phase] of ['open', 'doing', 'done'].entries()) {
    const expected = records.filter((_, n) => n % STATUSES.length === at).map(({ external_id: id }) => id)
    expect([phase, await ids(call, `&phase=${phase}`)]).toEqual([phase, expected.toSorted()])
  }
  const again = await call('POST', sandbox.records, { records: records.slice(0, PER_REQUEST) }, { prefer: 'wait=60' })
  expect(again.body.result).toMatchObject({ unchanged: PER_REQUEST })
})
