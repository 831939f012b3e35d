import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Call, newSandbox, onEachApp, type TestSandbox } from '../../harness/test-app.ts'

/** Runs per property. */
const RUNS = 6
const PEOPLE = ['Ana Lima', 'Ben Katz', 'Cleo Brandt', 'Ana Souza']
const PLACES = ['Harbour', 'Depot North', 'Bay 12']
const QUESTIONS = ['What did Ana Lima say of Harbour?', 'Which crane is broken at Bay 12?', 'Who inspects the depot?']
const WORDS = ['crane', 'broken', 'inspects', 'launch', 'depot', 'late', 'repaired', 'moved', 'harbour']

interface Made {
  external_id: string
  type: string
  title?: string
  text: string
  author: object
}

/** A sentence of a few words with a person and a place. */
const text = fc
  .tuple(
    fc.constantFrom(...PEOPLE),
    fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }),
    fc.constantFrom(...PLACES),
  )
  .map(([person, words, place]) => `${person} says ${words.join(' ')} at ${place}.`)

const content = fc.record({
  text,
  title: fc.option(fc.constantFrom(...PLACES, 'Crane 4 is stuck'), { nil: undefined }),
  author: fc.constantFrom(...PEOPLE).map((name) => ({
    name,
    identifiers: { email: `${name.replace(' ', '.').toLowerCase()}@example.com` },
  })),
})

const records = fc.array(content, { minLength: 1, maxLength: 30 }).map((all): Made[] =>
  all.map(({ title, ...rest }, at) => ({
    external_id: `r${at}`,
    type: title ? 'issue' : 'message',
    ...(title && { title }),
    ...rest,
  })),
)

/** Records, a permutation of them, and its batch size. */
const twoDeliveries = records.chain((first) =>
  fc.record({
    first: fc.constant(first),
    second: fc.shuffledSubarray(first, { minLength: first.length, maxLength: first.length }),
    batchSize: fc.integer({ min: 1, max: first.length }),
  }),
)

onEachApp((app) => {
  const put = async (call: Call, sandbox: TestSandbox, all: Made[], size = all.length) => {
    for (let at = 0; at < all.length; at += size) {
      const body = { records: all.slice(at, at + size) }
      const { status } = await call('POST', sandbox.records, body, { prefer: 'wait=30' })
      expect(status).toBe(200)
    }
  }

  /** Returns the results of every question by external ids, which two sandboxes share. */
  const rankings = (call: Call, sandbox: TestSandbox) =>
    Promise.all(
      QUESTIONS.map(async (query) => {
        const { body } = await call('POST', `${sandbox.query}/discover`, { query, limit: 100 })
        return body.items.map((item: { external_id: string; score: number }) => [item.external_id, item.score])
      }),
    )

  const entities = async (call: Call, sandbox: TestSandbox) =>
    (await call('GET', `${sandbox.storage}/entities`)).body.entities

  it('ranks the same in any order and batching of the records', async () => {
    await fc.assert(
      fc.asyncProperty(twoDeliveries, async ({ first, second, batchSize }) => {
        const { call } = await app().newAccount()
        const one = await newSandbox(call, 'One')
        const other = await newSandbox(call, 'Other')
        await put(call, one, first)
        await put(call, other, second, batchSize)
        expect(await rankings(call, other)).toEqual(await rankings(call, one))
        const names = async (sandbox: TestSandbox) =>
          (await entities(call, sandbox))
            .map(({ name, type }: { name: string; type: string }) => `${type} ${name}`)
            .sort()
        expect(await names(other)).toEqual(await names(one))
      }),
      { numRuns: RUNS },
    )
  })

  it('changes nothing when the same records are sent again', async () => {
    await fc.assert(
      fc.asyncProperty(twoDeliveries, async ({ first, second, batchSize }) => {
        const { call } = await app().newAccount()
        const sandbox = await newSandbox(call)
        await put(call, sandbox, first)
        const before = { rankings: await rankings(call, sandbox), entities: await entities(call, sandbox) }
        const ids = await exportedIds(call, sandbox)
        await put(call, sandbox, second, batchSize)
        expect({ rankings: await rankings(call, sandbox), entities: await entities(call, sandbox) }).toEqual(before)
        expect(await exportedIds(call, sandbox)).toEqual(ids)
      }),
      { numRuns: RUNS },
    )
  })

  it('keeps one record per external_id and one entity per name under concurrent writes', async () => {
    const { call } = await app().newAccount()
    const sandbox = await newSandbox(call)
    const author = { name: 'Ana Lima' }
    const same = { external_id: 'same', type: 'message', author }
    await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        put(call, sandbox, [
          { ...same, text: `Version ${at}.` },
          { ...same, external_id: `own${at}`, text: 'Hello.' },
        ]),
      ),
    )
    expect(await exportedIds(call, sandbox)).toHaveLength(12 + 1 + 1)
  })

  describe('pages', () => {
    it('list every entity exactly once, in pages of any size', async () => {
      const { call } = await app().newAccount()
      const sandbox = await newSandbox(call)
      const all = Array.from({ length: 41 }, (_, at) => ({
        external_id: `r${at}`,
        type: 'message',
        text: 'Hello.',
        author: { name: `Person Number${at}` },
      }))
      await put(call, sandbox, all)
      const ids = idsOf(await entities(call, sandbox))
      expect(ids).toHaveLength(41)
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 50 }), async (limit) => {
          expect(await pagedIds(call, sandbox, limit)).toEqual(ids)
        }),
        { numRuns: RUNS },
      )
    })
  })
})

/** Returns the ids of records and entities in an export; it also contains sources and projects. */
async function exportedIds(call: Call, sandbox: TestSandbox): Promise<string[]> {
  const { body } = await call('GET', `${sandbox.storage}/export`)
  const lines = String(body).trim().split('\n')
  return lines
    .map((line) => JSON.parse(line) as { record_id?: string; canonical_id?: string })
    .flatMap((line) => line.record_id ?? line.canonical_id ?? [])
    .sort()
}

function idsOf(entities: { canonical_id: string }[]): string[] {
  return entities.map((entity) => entity.canonical_id)
}

async function pagedIds(call: Call, sandbox: TestSandbox, limit: number): Promise<string[]> {
  const ids: string[] = []
  let cursor = ''
  do {
    const { body } = await call('GET', `${sandbox.storage}/entities?limit=${limit}${cursor}`)
    expect(body.count).toBeLessThanOrEqual(limit)
    ids.push(...idsOf(body.entities))
    cursor = body.next_cursor ? `&cursor=${encodeURIComponent(body.next_cursor)}` : ''
  } while (cursor)
  return ids
}
