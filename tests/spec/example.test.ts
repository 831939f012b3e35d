import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FIXED_WORDS } from '@cairnstore/engine/answer'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Call, newSandbox, onEachApp, type TestSandbox } from '../harness/test-app.ts'
import { BY_KIND } from '../questions/by-kind.ts'
import { SAMPLE_FACTS, SAMPLE_RECORDS, type Suggested, TO_ASK } from '../questions/suggested.ts'

interface Workspace {
  sources: { key: string; provider: string; name: string; file: string }[]
  sample_questions: { question: string; reference_date: string; expect: string[]; records: string[] }[]
}

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '../../examples/workspace')
const workspace = JSON.parse(readFileSync(join(FOLDER, 'workspace.json'), 'utf8')) as Workspace
const NDJSON = { 'content-type': 'application/x-ndjson', prefer: 'wait=60' }
const ITEMS = 10
const LONG_DAY = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const

// Slightly below the current values (0.94, 0.67, 0.88 and 0.59), so that a change that makes answers worse is noticed.
/** Minimum share of questions with at least one expected record among the items. */
const QUESTIONS_WITH_RECORD_MIN = 0.8
/** Minimum share of the expected records of all questions that are among the items. */
const RECORDS_FOUND_MIN = 0.63
/** Minimum share of questions whose brief contains at least one expected string. */
const QUESTIONS_ANSWERED_MIN = 0.77
/** Minimum share of the expected strings of all questions that are in the briefs. */
const EXPECTED_IN_BRIEF_MIN = 0.58

/**
 * Sample questions that fail without the encoder. For two of them the records share no words with the question. For the
 * others a competing sentence scores as high.
 */
const SAMPLES_MISSED = [
  'Who is on call this week?',
  'What is the Customer Portal called today, and who leads it?',
  'Why was dump and restore given up for the ledger migration?',
  'What did Alex Okafor ship for Harbour in July?',
]

/** For the cold store the records use other words. For the others the record is found, but not its sentence. */
const BY_KIND_MISSED = [
  'What does the doc on the ledger handover say?',
  'What does the page on who is who say about Priya?',
  'How long did the cold store outage last?',
  'Who opened the merge request that retried postings?',
]

interface Statement {
  text: string
  record_ids: string[]
  computed?: string
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
const share = (count: number, of: number) => count / of

onEachApp((app) => {
  let call: Call
  let sandbox: TestSandbox
  let received = 0

  beforeAll(async () => {
    call = (await app().newAccount()).call
    sandbox = await newSandbox(call)
    for (const { file, provider, name } of workspace.sources) {
      const { body: source } = await call('POST', `${sandbox.storage}/sources`, { provider, name })
      const path = `${sandbox.storage}/sources/${source.data_source_id}/records`
      const { body: job } = await call('POST', path, readFileSync(join(FOLDER, file)), NDJSON)
      expect(job).toMatchObject({ status: 'completed', result: { failed: 0 } })
      received += job.result.written
    }
  })

  /** Returns the words of a statement that are not in its records, its computation or the fixed connectives. */
  const strangeWords = async ({ text, record_ids: ids, computed = '' }: Statement) => {
    const records = await Promise.all(
      ids.map(async (id) => (await call('GET', `${sandbox.storage}/records/${id}`)).body),
    )
    const days = records.map(({ occurred_at: at }) => new Date(at).toLocaleDateString('en-GB', LONG_DAY))
    const said = JSON.stringify(records).replaceAll('\\n', ' ')
    const known = new Set(wordsOf([said, ...days, computed].join(' ')))
    return wordsOf(text).filter((word) => !known.has(word) && !FIXED_WORDS.has(word))
  }

  it('imports every record of the example, and compares possible duplicates', async () => {
    expect(received).toBe(317)
    const resolution = async () => (await call('GET', `${sandbox.storage}/entities?limit=1`)).body.resolution
    await expect.poll(resolution).toBe('settled')
  })

  it('finds the records for the sample questions and answers in their words', async () => {
    const seen: { records: number; found: number; strings: number; inBrief: number }[] = []
    for (const { question: query, reference_date, expect: strings, records } of workspace.sample_questions) {
      const asked = { query, reference_date, limit: ITEMS }
      const { body: found } = await call('POST', `${sandbox.query}/discover`, asked)
      const ids: string[] = found.items.map((item: { external_id: string }) => item.external_id)
      const items = found.items.map((item: { canonical_ids: string[] }) => item.canonical_ids)
      const pinned = { query, reference_date, items, explain: true }
      const { body } = await call('POST', `${sandbox.query}/interpret`, pinned)
      for (const statement of body.statements) expect(await strangeWords(statement), statement.text).toEqual([])
      seen.push({
        records: records.length,
        found: records.filter((id) => ids.includes(id)).length,
        strings: strings.length,
        inBrief: strings.filter((each) => body.brief.includes(each)).length,
      })
    }
    const sum = (of: (each: (typeof seen)[number]) => number) => seen.reduce((total, each) => total + of(each), 0)
    const shares = {
      questionsWithRecord: share(
        sum((each) => Number(each.found > 0)),
        seen.length,
      ),
      recordsFound: share(
        sum((each) => each.found),
        sum((each) => each.records),
      ),
      questionsAnswered: share(
        sum((each) => Number(each.inBrief > 0)),
        seen.length,
      ),
      expectedInBrief: share(
        sum((each) => each.inBrief),
        sum((each) => each.strings),
      ),
    }
    const report = `of the questions ${JSON.stringify(shares)}`
    expect(shares.questionsWithRecord, report).toBeGreaterThanOrEqual(QUESTIONS_WITH_RECORD_MIN)
    expect(shares.recordsFound, report).toBeGreaterThanOrEqual(RECORDS_FOUND_MIN)
    expect(shares.questionsAnswered, report).toBeGreaterThanOrEqual(QUESTIONS_ANSWERED_MIN)
    expect(shares.expectedInBrief, report).toBeGreaterThanOrEqual(EXPECTED_IN_BRIEF_MIN)
  })

  describe('a question that the README of the example suggests', () => {
    /** Returns the faults of the answer to a question; empty if there are none. */
    const faultsOf = async ({ question: query, holds, records }: Suggested): Promise<string[]> => {
      const asked = { query, reference_date: '2026-07-31', explain: true }
      const { body } = await call('POST', `${sandbox.query}/search`, asked)
      const [first] = body.citations
      // A computed answer cites all rows that it was computed from.
      const cites: string[] = body.statements?.[0]?.record_ids ?? first?.record_ids ?? []
      const cited = cites.filter((id) => first?.record_ids.includes(id))
      const ids = await Promise.all(
        cited.map(async (id) => (await call('GET', `${sandbox.storage}/records/${id}`)).body.external_id),
      )
      return [
        ...(body.answered && holds.test(body.answer) ? [] : [`${query} – ${body.answer}`]),
        ...(ids.some((id) => records.includes(id)) ? [] : [`${query} – cites ${first?.name} (${ids})`]),
      ]
    }

    it.each(TO_ASK)('$question is answered, and its first citation is the expected record', async (asked) => {
      expect(await faultsOf(asked)).toEqual([])
    })

    it("may use the type's name, and is not answered if no record of the type matches", async () => {
      const missed: string[] = []
      for (const { question, says, records } of BY_KIND.workspace) {
        if (says) missed.push(...(await faultsOf({ question, holds: says, records })))
        else {
          const { body } = await call('POST', `${sandbox.query}/search`, { query: question })
          expect(body, question).toMatchObject({ answered: false, warnings: [] })
        }
      }
      expect(missed.filter((each) => !BY_KIND_MISSED.some((question) => each.startsWith(question)))).toEqual([])
    })

    it('is answered among the sample questions, except for known misses', async () => {
      const missed: string[] = []
      for (const { question, records: named } of workspace.sample_questions) {
        const records = [...named, ...(SAMPLE_RECORDS[question] ?? [])]
        missed.push(...(await faultsOf({ question, records, holds: SAMPLE_FACTS[question]! })))
      }
      expect(missed.filter((each) => !SAMPLES_MISSED.some((question) => each.startsWith(question)))).toEqual([])
    })
  })

  describe('a follow-up question', () => {
    const ask = async (query: string, ...earlier: string[]) => {
      const history = earlier.flatMap((content) => [
        { role: 'user', content },
        { role: 'assistant', content: 'Here is what I found.' },
      ])
      return (await call('POST', `${sandbox.query}/search`, { query, history, reference_date: '2026-07-31' })).body
    }

    it('a typo in a question for rows is corrected to a word in the records, and this is reported', async () => {
      const body = await ask('How many pull reqests were merged in July?')
      expect(body.preset).toBe('sql')
      expect(body.warnings).toEqual(['No record has the word, so “reqests” is read as “requests”.'])
    })

    it.each([
      [
        'and how many of those are open?',
        ['How many issues did Priya create in June?'],
        /^There are 3 issues .*Priya Raman/,
      ],
      [
        'And in July?',
        ['Which pull requests did Alex Lindqvist open in June?'],
        /^There is 1 .*1 July .*ledger-api\/pull\/426/,
      ],
      [
        'And Yuki Tanabe?',
        ['Which pull requests did Alex Lindqvist open in July?', 'And in June?'],
        /^There are 3 .*Yuki Tanabe .*1 June .*quote-api\/pull\/231/,
      ],
      ['which of them are assigned to Yuki Tanabe?', ['List the open issues'], /NOR-176.*NOR-161/],
      ['and the closed ones?', ['How many pull requests are open?'], /^There are 28 pull requests with phase done/],
    ])('%s is computed over rows', async (query, earlier, answer) => {
      const body = await ask(query, ...earlier)
      expect(body.preset).toBe('sql')
      expect(body.answer).toMatch(answer)
    })

    it.each([
      ['and who owned it before?', ['Who owns ledger-api now?'], 'Alexander Lindqvist'],
      ['Why?', ['When will Harbour launch?'], 'INC-7 and the cutover'],
      ['What is still open there?', ['Tell me about INC-7.'], 'NOR-161'],
      ['When did he start?', ['Who is Dele Adeyemi?'], '6 July'],
    ])('%s is answered in the context of earlier turns', async (query, earlier, expected) => {
      expect((await ask(query, ...earlier)).answer).toContain(expected)
    })

    it('is not answered if it is ambiguous or refers to nothing', async () => {
      expect((await ask('and how many of those are open?')).preset).toBe('auto')
      expect((await ask('and the weather?', 'How many pull requests are open?')).preset).toBe('auto')
    })
  })
})
