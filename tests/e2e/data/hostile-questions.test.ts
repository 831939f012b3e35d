import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chanceFrom } from '../../harness/chance.ts'
import { callOver, openSender, type RealProcess, startProcess } from '../../harness/real-process.ts'
import { type Call, newSandbox, putRecords, type TestSandbox } from '../../harness/test-app.ts'

const QUERY_CHARS = 5_000
const TURN_CHARS = 20_000
/**
 * Maximum characters of a name. A path with its query must fit the request head even if each character is escaped to
 * six bytes.
 */
const NAME_CHARS = 1_200
/** Maximum milliseconds that parsing one question may block other requests. */
const BLOCK_MS_MAX = 100
/** Maximum ratio to the slowest harmless question of the same length, which shows how slow the machine is. */
const FLOORS_MAX = 4
/** Number of attempts. A blocking question blocks each time; interference by another process does not repeat. */
const TRIES = 5
const POLL_MS = 2

const UNITS = [
  ...['0M', '5 days', '1.5 h', 'a few d', 'june', '16 june 2026', '10:30 -', '1/2', 'last 2 weeks', 'since the outage'],
  ...['between june and', 'how many messages of', 'it and', 'Ann Lee', 'a@b', 'A-1', 'v1.', '"a', '(', '?!', '中', 'é'],
]
const BETWEEN = ['', ' ', '\t\t', '\u00a0\n ']
const repeated = (piece: string, chars: number) => piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars - 1)
const SEED = Number(process.env.QUESTIONS_SEED ?? Math.floor(performance.timeOrigin % 1_000_000))
const chance = chanceFrom(SEED)
/** Returns the kinds of spaces between units: one drawn by the seed, or all with QUESTIONS=all. */
const spacesOf = () => (process.env.QUESTIONS === 'all' ? BETWEEN : [BETWEEN[Math.floor(chance() * BETWEEN.length)]])
const FAMILIES = UNITS.flatMap((unit) => spacesOf().map((space) => `${space}${unit}${space}`))
const HARMLESS = 'Who moved the launch of the harbour, and why was that? '
/** Short questions that cause exponential backtracking in an ambiguous regular expression for durations. */
const SHORT = [
  '  0M  '.repeat(14),
  'When?   5 days '.repeat(16),
  '\t\t0M\t\t'.repeat(14),
  '  1 days  2 days'.repeat(16),
]

let cairn: RealProcess
let call: Call
let close: () => void
let sandbox: TestSandbox
let pinned: string[][]
/** Longest block of a harmless question so far, by operation. */
const floors = new Map<string, number>()

beforeAll(async () => {
  console.log(`questions of seed ${SEED}`)
  cairn = await startProcess({})
  const sender = openSender(cairn, 4)
  call = callOver(sender.send)
  close = sender.close
  sandbox = await newSandbox(call, 'Questions', 'enterprise')
  const records = [HARMLESS, ...FAMILIES].map((piece, at) => ({
    external_id: `r${at}`,
    type: 'message',
    title: `Launch ${at}`,
    text: `The launch of the harbour. ${repeated(piece, QUERY_CHARS)} T. Ann Lee moved it.`,
    author: 'Ann Lee',
    occurred_at: new Date(Date.UTC(2026, 5, 1 + (at % 28))).toISOString(),
    properties: { amount: at, state: 'open' },
  }))
  await putRecords(call, sandbox, records)
  const { body } = await call('POST', `${sandbox.query}/discover`, { query: 'launch', limit: 100 })
  pinned = body.items.map(({ record_id: id }: { record_id: string }) => [id])
})

afterAll(async () => {
  close?.()
  await cairn?.stop()
})

/** Yields a request for every operation that parses a question, with a repeated fragment in its text. */
function* requestsWith(piece: string, isRepeated: boolean): Generator<[what: string, () => ReturnType<Call>]> {
  const long = (chars: number) => `${isRepeated ? repeated(piece, chars) : piece}T`
  const post = (verb: string, body: object) => () => call('POST', `${sandbox.query}/${verb}`, body)
  const text = long(QUERY_CHARS)
  yield ['discover', post('discover', { query: text })]
  yield ['search', post('search', { query: text, explain: true })]
  yield ['rows', post('search', { query: `How many messages ${long(200)}`, preset: 'sql' })]
  yield ['rows of a long question', post('search', { query: text, preset: 'sql' })]
  yield ['brief', post('interpret', { query: text, items: pinned, max_tokens: 16_000 })]
  yield ['times', post('discover', { query: `Before ${long(1_000)} or between ${long(1_000)} and ${long(1_000)}` })]
  yield ['event', post('search', { query: `What changed since the ${long(1_000)} incident?` })]
  const turn = long(TURN_CHARS)
  const history = Array.from({ length: 6 }, (_, at) => ({ role: at % 2 ? 'assistant' : 'user', content: turn }))
  yield ['turns', post('search', { query: 'And why that?', history })]
  yield ['rows in a talk', post('search', { query: 'And how many?', history, preset: 'sql' })]
  const name = encodeURIComponent(long(NAME_CHARS))
  yield ['entity search', () => call('GET', `${sandbox.storage}/entities/search?q=${name}`)]
  yield ['entities', () => call('GET', `${sandbox.storage}/entities?q=${name}`)]
}

/** Returns the longest latency of trivial requests during `work`, in milliseconds. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let isDone = false
  let longest = 0
  const polling = (async () => {
    while (!isDone) {
      const startedAt = performance.now()
      await call('GET', '/healthz')
      longest = Math.max(longest, performance.now() - startedAt)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  })()
  await work().finally(() => {
    isDone = true
  })
  await polling
  return longest
}

async function assertNothingWaits(piece: string, isRepeated: boolean): Promise<void> {
  const harmless = [...requestsWith(HARMLESS, true)]
  for (const [at, [what, ask]] of [...requestsWith(piece, isRepeated)].entries()) {
    const failures: string[] = []
    for (let tries = 0; tries < TRIES; tries += 1) {
      let status = 0
      const block = await longestBlock(async () => {
        status = (await ask()).status
      })
      expect([200, 400, 414, 422], `${what}: ${status}`).toContain(status)
      if (block <= BLOCK_MS_MAX) break
      const floor = Math.max(floors.get(what) ?? 0, await longestBlock(harmless[at]![1]))
      floors.set(what, floor)
      if (block <= FLOORS_MAX * floor) break
      failures.push(`${what} blocked for ${block.toFixed(0)} ms, a harmless one for ${floor.toFixed(0)} ms`)
    }
    expect(failures.length, failures.join('; ')).toBeLessThan(TRIES)
  }
}

describe('while an expensive question is parsed, everything else is served', () => {
  it.each(SHORT)('%j', (piece) => assertNothingWaits(piece, false))
  it.each(FAMILIES)('%j repeated', (piece) => assertNothingWaits(piece, true))
})
