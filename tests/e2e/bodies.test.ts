import { expect, it } from 'vitest'
import { newSandbox, onEachApp } from '../harness/test-app.ts'

type Body = 'desk' | 'ward' | 'memory' | 'forge' | 'chats'
interface Asked {
  text: string
  history: readonly string[]
  reference: string
  says?: RegExp
  notFirst?: RegExp
}
interface Bodies {
  bodyQuestions(name: Body): Asked[]
  linesOf(name: Body): Record<string, unknown>[]
}

// Benchmarks are plain JavaScript that is not type-checked; they are fitted and measured on the same questions.
const bench = new URL('../../bench/briefs/bodies.mjs', import.meta.url).href
const { bodyQuestions, linesOf }: Bodies = await import(bench)

/**
 * Of the 25 questions of each body that it answers, 40 of the chats: how many are told at least, in the first sentence
 * at least, and refused at most; and how many of the six that it does not answer, ten of the chats, are refused at
 * least.
 */
const FLOORS: Record<Body, { told: number; first: number; refused: number; rightly: number }> = {
  desk: { told: 18, first: 14, refused: 0, rightly: 3 },
  ward: { told: 18, first: 17, refused: 3, rightly: 3 },
  memory: { told: 15, first: 12, refused: 5, rightly: 3 },
  forge: { told: 19, first: 14, refused: 2, rightly: 3 },
  chats: { told: 31, first: 26, refused: 6, rightly: 6 },
}
const WAIT = { prefer: 'wait=60' }
const TIMEOUT_MS = 240_000

onEachApp((app) => {
  it.each(Object.keys(FLOORS) as Body[])(
    'a newcomer who sends their %s is told what it says',
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
      const counts = { told: 0, first: 0, refused: 0, rightly: 0 }
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
          counts.told += 1
          counts.first += Number(says.test(first))
        }
        if (says && !(body.answered && says.test(body.answer))) missed.push(`${text} → ${body.answer}`)
      }
      const { told, first, refused, rightly } = FLOORS[name]
      const why = `${name} ${JSON.stringify(counts)}\n${missed.join('\n')}`
      expect(counts.told, why).toBeGreaterThanOrEqual(told)
      expect(counts.first, why).toBeGreaterThanOrEqual(first)
      expect(counts.refused, why).toBeLessThanOrEqual(refused)
      expect(counts.rightly, why).toBeGreaterThanOrEqual(rightly)
    },
    TIMEOUT_MS,
  )
})
