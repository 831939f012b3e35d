import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeContent, recordKey } from '@cairnstore/engine/resolve'
import { computePlan, type Plan, type View } from '@cairnstore/engine/tables'
import { plainKeyHash } from '@cairnstore/engine/text'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { openLog } from '../../base/log.ts'
import { EMPTY_HEAD, type Head } from '../../db/head.ts'
import { Knowledge } from '../../store/knowledge.ts'
import { LanceStores } from '../../store/lance/stores.ts'
import type { ReadSnapshot } from '../../store/read-snapshot.ts'
import { toRecordRow } from '../../store/record-row.ts'
import { createRowCache, type RowCache } from './row-cache.ts'

const SANDBOX = { userId: 'usr_1', sandboxId: 'sbx_1' }
const ISSUES = 30
const MESSAGES = 60
/** Less than the number of records of both types. */
const WHOLE_MAX = 50

let folder: string
let stores: LanceStores
let knowledge: Knowledge
let rows: RowCache
let head: Head

function rowOf(id: string, type: string, properties: Record<string, string> = {}) {
  const content = { external_id: id, type, title: `About ${id}`, text: 'Something to read.', properties }
  const origin = { sourceId: 'src_1', provider: 'test' }
  const record = { content, origin, projectId: null, things: [], mentioned: [] }
  return toRecordRow(
    `rec_${id}`,
    recordKey('src_1', id),
    record,
    encodeContent({ ...content, provider: 'test' }),
    plainKeyHash,
  )
}

async function commit(...records: ReturnType<typeof rowOf>[]): Promise<void> {
  head = await stores.open('usr_1', 'sbx_1').commit(head, { records, entities: [], links: [] })
}

async function viewsFor(text: string, isWanted = true): Promise<View[] | string> {
  const view = await knowledge.view(SANDBOX, head)
  const snapshot: ReadSnapshot = { head, scope: null, projectId: null }
  const asked = { texts: [text], isWanted, onWait: () => undefined }
  const answered = await rows.use(view, snapshot, asked, async ({ views }) => ({ views }))
  return 'refused' in answered ? answered.refused : answered.views
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-rows-'))
  stores = new LanceStores({ uri: folder })
  knowledge = new Knowledge(
    stores,
    async () => undefined,
    openLog('silent', systemClock, () => {}),
  )
  rows = createRowCache({ whole: WHOLE_MAX, named: ISSUES + 1 })
  head = EMPTY_HEAD
  const issues = Array.from({ length: ISSUES }, (_, at) =>
    rowOf(`issue${at}`, 'issue', { state: at % 3 ? 'open' : 'done' }),
  )
  const messages = Array.from({ length: MESSAGES }, (_, at) => rowOf(`message${at}`, 'message'))
  await commit(...issues, ...messages)
})

afterEach(() => {
  rows.close()
  knowledge.close()
  rmSync(folder, { recursive: true, force: true })
})

test('in a large sandbox, only the types named in the question are typed', async () => {
  const views = (await viewsFor('How many issues are open?')) as View[]
  expect(views.map(({ type, rows: typed }) => [type, typed.length])).toEqual([['issue', ISSUES]])
  const [view] = views
  const state = view!.columns.findIndex(({ name }) => name === 'state')
  const plan: Plan = { type: 'issue', asks: 'count', where: [{ column: state, is: 'in', values: ['open'] }] }
  expect(computePlan(plan, view!)).toEqual([[20]])
})

test('a large sandbox is typed on request up to a limit, otherwise with a reason', async () => {
  expect(await viewsFor('How many issues are open?', false)).toMatch(/only with the preset `sql`/)
  expect(await viewsFor('How many are open?')).toMatch(/must name their kind/)
  expect(await viewsFor('How many messages are there?')).toMatch(/more than 31 records/)
})

test('rows stay cached while other types change, and are typed again when their own changes', async () => {
  const first = await viewsFor('How many issues are open?')
  await commit(rowOf('another', 'message'))
  expect(await viewsFor('How many issues are done?')).toBe(first)
  await commit(rowOf('issue0', 'issue', { state: 'open' }), rowOf('more', 'issue', { state: 'open' }))
  const second = (await viewsFor('How many issues are open?')) as View[]
  expect(second).not.toBe(first)
  expect(second[0]!.rows).toHaveLength(ISSUES + 1)
})
