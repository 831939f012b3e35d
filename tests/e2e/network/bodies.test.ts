import { expect, it } from 'vitest'
import { type Call, newSandbox, onEachApp, type TestSandbox } from '../../harness/test-app.ts'
import { BY_KIND } from '../../questions/by-kind.ts'

type Body = 'desk' | 'ward' | 'memory' | 'forge' | 'chats'
/** Data sets with questions by kind. The chats contain only one kind of record. */
type ByKindBody = Exclude<Body, 'chats'>
interface LabeledQuestion {
  text: string
  history: readonly string[]
  reference: string
  says?: RegExp
  notFirst?: RegExp
}
interface Bodies {
  bodyQuestions(name: Body): LabeledQuestion[]
  linesOf(name: Body): Record<string, unknown>[]
}

// The benchmarks are plain JavaScript without type checking; they use the same questions.
const bench = new URL('../../../bench/briefs/bodies.mjs', import.meta.url).href
const { bodyQuestions, linesOf }: Bodies = await import(bench)

/**
 * Limits per data set, which has 25 answerable questions (chats: 40) and six unanswerable ones (chats: ten).
 * `answered`: minimum answered. `first`: minimum answered in the first sentence. `refused`: maximum without an answer.
 * `rightly`: minimum of unanswerable ones without an answer.
 */
const FLOORS: Record<Body, { answered: number; first: number; refused: number; rightly: number }> = {
  desk: { answered: 19, first: 13, refused: 1, rightly: 2 },
  ward: { answered: 18, first: 17, refused: 3, rightly: 3 },
  memory: { answered: 13, first: 10, refused: 6, rightly: 3 },
  forge: { answered: 16, first: 13, refused: 1, rightly: 2 },
  chats: { answered: 27, first: 25, refused: 9, rightly: 6 },
}
/**
 * Limits for questions that name a kind of record. `answered`: minimum answered. `first`: minimum supported by a record
 * of that kind. `rightly`: minimum of unanswerable ones without an answer.
 */
const BY_KIND_FLOORS: Record<ByKindBody, { answered: number; first: number; rightly: number }> = {
  desk: { answered: 5, first: 5, rightly: 5 },
  ward: { answered: 6, first: 5, rightly: 4 },
  memory: { answered: 5, first: 5, rightly: 5 },
  forge: { answered: 6, first: 6, rightly: 5 },
}
/** Reference date after the last record of each data set. */
const LATEST_DAY = '2026-07-31'
const WAIT = { prefer: 'wait=60' }
const TIMEOUT_MS = 240_000

/** Asks the questions that name a kind of record, and checks the limits. */
async function assertByKind(call: Call, { storage, query }: Pick<TestSandbox, 'storage' | 'query'>, name: ByKindBody) {
  const counts = { answered: 0, first: 0, rightly: 0 }
  const missed: string[] = []
  for (const { question, says, records } of BY_KIND[name]) {
    const asked = { query: question, reference_date: LATEST_DAY, explain: true }
    const { body } = await call('POST', `${query}/search`, asked)
    const ids: string[] = body.statements?.[0]?.record_ids ?? []
    const first = await Promise.all(ids.map(async (id) => (await call('GET', `${storage}/records/${id}`)).body))
    const isFirst = first.some(({ external_id: id }) =>
      records.some((each) => id === each || id.startsWith(`session/${each.length}:${each}/`)),
    )
    counts.rightly += Number(!says && !body.answered)
    counts.answered += Number(says !== undefined && body.answered && says.test(body.answer))
    counts.first += Number(says !== undefined && body.answered && isFirst)
    if (Boolean(says) !== body.answered || !isFirst) missed.push(`${question} → ${body.answer}`)
  }
  const why = `${name} ${JSON.stringify(counts)}\n${missed.join('\n')}`
  for (const [each, least] of Object.entries(BY_KIND_FLOORS[name]))
    expect(counts[each as keyof typeof counts], why).toBeGreaterThanOrEqual(least)
}

onEachApp((app) => {
  it.each(Object.keys(FLOORS) as Body[])(
    'questions of a new user about their %s are answered from it',
    async (name) => {
      const account = await app().newAccount()
      const { call } = account
      const { storage, records, query } = await newSandbox(call)
      const lines = linesOf(name)
      const isTalk = lines[0]?.messages !== undefined
      for (const body of isTalk ? lines : [{ records: lines }]) {
        const { status, body: job } = await call('POST', isTalk ? `${storage}/messages` : records, body, WAIT)
        expect(status, JSON.stringify(job)).toBe(200)
      }
      const counts = { answered: 0, first: 0, refused: 0, rightly: 0 }
      const missed: string[] = []
      for (const { text, history, reference, says, notFirst } of bodyQuestions(name)) {
        const turns = history.map((content) => ({ role: 'user', content }))
        const asked = { query: text, reference_date: reference, history: turns, explain: true }
        const { status, body } = await call('POST', `${query}/search`, asked)
        expect(status, text).toBe(200)
        const first = body.statements?.[0]?.text ?? body.answer
        if (!says) counts.rightly += Number(!body.answered)
        else if (!body.answered) counts.refused += 1
        else if (says.test(body.answer) && !notFirst?.test(first)) {
          counts.answered += 1
          counts.first += Number(says.test(first))
        }
        if (says && !(body.answered && says.test(body.answer))) missed.push(`${text} → ${body.answer}`)
      }
      const { answered: answeredMin, first, refused, rightly } = FLOORS[name]
      const why = `${name} ${JSON.stringify(counts)}\n${missed.join('\n')}`
      expect(counts.answered, why).toBeGreaterThanOrEqual(answeredMin)
      expect(counts.first, why).toBeGreaterThanOrEqual(first)
      expect(counts.refused, why).toBeLessThanOrEqual(refused)
      expect(counts.rightly, why).toBeGreaterThanOrEqual(rightly)
      if (name !== 'chats') await assertByKind(call, { storage, query }, name)
    },
    TIMEOUT_MS,
  )
})
