import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Sql } from '../../../db/open.ts'
import { openDeliverySources } from './delivery-source.ts'

const SLUG = 'a'.repeat(22)
const OTHER = 'b'.repeat(22)

let nowMs = 0
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => nowMs))
afterEach(() => void vi.restoreAllMocks())

/** Lets callbacks of settled promises run. */
const turns = () => new Promise((resolve) => setImmediate(resolve))

/** A database in which every slug belongs to a source. Each lookup is answered only when the test says so. */
function heldDatabase() {
  const lookUps: { slugs: string[]; answer: () => void; fail: () => void }[] = []
  const look: Sql['look'] = (scope) =>
    new Promise((resolve, reject) => {
      const slugs = [...(scope as { webhookSlugs: string[] }).webhookSlugs]
      const found = slugs.map((slug) => ({ id: slug, webhook_slug: slug, caller_key: null, secrets: [] }))
      lookUps.push({ slugs, answer: () => resolve(found as never[]), fail: () => reject(new Error('away')) })
    })
  const begun = async (count: number) => {
    await turns()
    expect(lookUps).toHaveLength(count)
  }
  return { sql: { look }, lookUps, begun }
}

test('a source in use is refreshed before it expires, once, and nobody waits for it', async () => {
  const { sql, lookUps, begun } = heldDatabase()
  const sources = openDeliverySources({ sql })
  const first = Promise.all([sources.find(SLUG), sources.find(OTHER)])
  await begun(1)
  lookUps[0]?.answer()
  await first
  nowMs += 600
  expect((await sources.find(OTHER))?.sourceId).toBe(OTHER)
  expect(lookUps).toHaveLength(1)
  nowMs += 200
  for (let asked = 0; asked < 5; asked++) expect((await sources.find(SLUG))?.sourceId).toBe(SLUG)
  await begun(2)
  expect(lookUps[1]?.slugs.toSorted()).toEqual([SLUG, OTHER])
  expect((await sources.find(OTHER))?.sourceId).toBe(OTHER)
  lookUps[1]?.answer()
  await turns()
  nowMs += 600
  expect((await sources.find(SLUG))?.sourceId).toBe(SLUG)
  expect(lookUps).toHaveLength(2)
})

test('a refresh that fails is repeated when the cached source expires, and that request waits', async () => {
  const { sql, lookUps, begun } = heldDatabase()
  const sources = openDeliverySources({ sql })
  const first = sources.find(SLUG)
  await begun(1)
  lookUps[0]?.answer()
  await first
  nowMs += 800
  await sources.find(SLUG)
  await begun(2)
  lookUps[1]?.fail()
  nowMs += 300
  await turns()
  const late = sources.find(SLUG)
  await begun(3)
  lookUps[2]?.answer()
  expect((await late)?.sourceId).toBe(SLUG)
})
