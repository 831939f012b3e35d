// Measures briefs: how often the brief on the five found records contains the answer, compared with lead sentences and
// TextRank of the same records at the same length, and whether all its words are from the records.
import { FIXED_WORDS, splitSentences } from '../product.mjs'
import { load } from './asking.mjs'
import { mean, percents, printHeading, printRow } from './measures.mjs'
import { leadSentences, textRank } from './summaries.mjs'

const PINNED = 5
const IN_FLIGHT = 4
const STRANGE_SHOWN = 20
const HALVES = [
  { name: 'even', of: (/** @type {number} */ at) => at % 2 === 0 },
  { name: 'odd', of: (/** @type {number} */ at) => at % 2 === 1 },
]

/**
 * @typedef {import('./asking.mjs').Sent} Sent
 * @typedef {{ text: string, record_ids: string[], computed?: string }} Statement
 * @typedef {{ records: Sent[], brief: string, strange: string[] }} Briefed
 */

/** @param {string} text */
function words(text) {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
}

/**
 * Returns the words of a brief that are not in the records of their statement, its computation, or the fixed
 * connectives.
 * @param {Statement[]} statements
 * @param {ReadonlyMap<string, Sent>} byId
 */
function strangeWords(statements, byId) {
  return statements.flatMap(({ text, record_ids: ids, computed = '' }) => {
    const records = ids.flatMap((id) => byId.get(id) ?? [])
    const texts = records.map((record) =>
      [record.title, record.text, record.type, record.author, dayOf(record)].join('\n'),
    )
    const known = new Set(words([...texts, computed].join('\n')))
    return words(text).filter((word) => !known.has(word) && !FIXED_WORDS.has(word))
  })
}

/** @param {Sent} record */
function dayOf({ occurred_at: at }) {
  return at === undefined
    ? ''
    : new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
}

/**
 * Returns for each question the brief on its five best records.
 * @param {import('./asking.mjs').Call} call
 * @param {{ query: string }} sandbox
 * @param {readonly Sent[]} records
 * @param {readonly string[]} questions
 * @returns {Promise<Briefed[]>}
 */
export async function briefAll(call, sandbox, records, questions) {
  const byExternalId = new Map(records.map((record) => [record.external_id, record]))
  /** @type {Briefed[]} */
  const briefed = new Array(questions.length)
  let next = 0
  const run = async () => {
    while (next < questions.length) {
      const at = next++
      const query = questions[at]
      const { items } = await call('POST', `${sandbox.query}/discover`, { query, limit: PINNED })
      /** @type {Map<string, Sent>} */
      const byId = new Map()
      for (const { record_id: id, external_id: key } of items) byId.set(id, /** @type {Sent} */ (byExternalId.get(key)))
      if (items.length === 0) {
        briefed[at] = { records: [], brief: '', strange: [] }
        continue
      }
      const { brief, statements } = await call('POST', `${sandbox.query}/interpret`, {
        query,
        items: items.map((/** @type {{ canonical_ids: string[] }} */ item) => item.canonical_ids),
        explain: true,
      })
      briefed[at] = { records: [...byId.values()], brief, strange: strangeWords(statements, byId) }
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, run))
  return briefed
}

/**
 * Counts the briefs without unsupported words. Prints the words of the others.
 * @param {readonly Briefed[]} briefed
 */
export function countFaithful(briefed) {
  const strange = new Set(briefed.flatMap((each) => each.strange))
  if (strange.size > 0)
    console.log(`  words that are not in the records: ${[...strange].slice(0, STRANGE_SHOWN).join(', ')}`)
  return briefed.filter((each) => each.strange.length === 0).length
}

/**
 * Returns true if a text contains an answer, ignoring case, punctuation and articles.
 * @param {string} text
 * @param {string} answer
 */
function holds(text, answer) {
  const plain = (/** @type {string} */ each) =>
    ` ${words(each)
      .filter((word) => !['a', 'an', 'the'].includes(word))
      .join(' ')} `
  return plain(text).includes(plain(answer))
}

/**
 * @param {import('./asking.mjs').Call} call
 * @param {readonly import('../sets.mjs').FoundSet[]} sets
 */
export async function measureBriefs(call, sets) {
  printHeading('briefs on the top 5', ['answer', ...HALVES.map(({ name }) => name), 'words', 'true'])
  for (const { name, records, questions: put } of sets.flatMap((found) => found.read())) {
    const questions = put.map(({ text }) => text)
    const sandbox = await load(call, `briefs ${name}`, records)
    const briefed = await briefAll(call, sandbox, records, questions)
    const withTexts = briefed.map((each) => ({
      ...each,
      texts: each.records.map(({ title, text }) => `${title}. ${text}`),
    }))
    // A yes/no answer does not occur in a text.
    const asked = withTexts.flatMap((each, at) => {
      const answer = put[at]?.answer ?? ''
      const isThere = !/^(?:yes|no)$/i.test(answer) && each.texts.some((text) => holds(text, answer))
      return isThere ? [{ ...each, answer, at }] : []
    })
    const label = `${name} (${asked.length})`
    const print = (
      /** @type {string} */ way,
      /** @type {(each: typeof asked[number]) => string} */ textOf,
      faithful = '',
    ) => {
      const found = asked.map((each) => ({ at: each.at, text: textOf(each), answer: each.answer }))
      const share = (/** @type {typeof found} */ some) =>
        mean(some.map(({ text, answer }) => Number(holds(text, answer))))
      const halves = HALVES.map(({ of }) => share(found.filter(({ at }) => of(at))))
      const length = mean(found.map(({ text }) => words(text).length)).toFixed(0)
      printRow(label, way, [...percents([share(found), ...halves]), length, faithful])
    }
    const faithful = countFaithful(briefed) / briefed.length
    print('interpret', ({ brief }) => brief, percents([faithful])[0])
    print('lead', ({ records: pinned, brief }) => leadSentences(pinned.map(sentencesOf), words(brief).length))
    print('TextRank', ({ records: pinned, brief }) => textRank(pinned.map(sentencesOf), words(brief).length))
  }
  console.log('  answer: share of the questions whose answer is in the five records, and in the brief about them')
  console.log('  true: share of the briefs whose words are all in its records, computations or fixed connectives')
}

/** @param {Sent} record */
function sentencesOf({ title, text }) {
  return splitSentences(text).map((sentence, at) => (at === 0 ? `${title}: ${sentence}` : sentence))
}
