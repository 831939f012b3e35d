// Reads sets of questions with labeled statements, in the format of ../shared/pairs/data, as records to search. Each
// file has one set, one JSON object per line: {set, kind, question, title?, statements: [{text, heading?, speaker?,
// label}]}. A label is 1 if the statement answers the question.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { seeded } from '../workload.mjs'

/** Sets whose labels are reliable. They are of users' questions, stories, reviews, forums, documentation and tables. */
export const PAIR_SETS = [
  ...['docs-questions', 'squad2', 'squadshifts-reddit', 'squadshifts-reviews', 'squadshifts-wiki', 'fairytaleqa'],
  ...['selqa', 'quoref-contrast', 'qed', 'covidqa', 'covid-faq', 'vanilla', 'wikitablequestions'],
  'evidence-inference',
]
/** Questions per set; their records are searched in groups, each in a sandbox of its own. */
const QUESTIONS = 80
const GROUP = 20
const STATEMENTS_MAX = 120
/** Share of sentences that continue the paragraph before. */
const CONTINUED = 0.7
/** Minimum share of an answering statement that a shorter text must contain to answer as well. */
const PART = 0.5
const ENDED = /[.!?:"”)]$/

/**
 * @typedef {{ set: string, kind: string, title?: string, question: string,
 *   statements: { text: string, heading?: string, speaker?: string, label: number }[] }} Row
 * @typedef {{ question: string, answers: (said: string) => boolean }} PairQuestion
 */

/**
 * Yields groups of records with the questions about them.
 * @param {string} folder
 */
export function* pairGroups(folder) {
  for (const set of PAIR_SETS) {
    const path = join(folder, `${set}.jsonl.gz`)
    if (!existsSync(path)) continue
    const random = seeded(set.length)
    const lines = gunzipSync(readFileSync(path)).toString('utf8').split('\n').filter(Boolean)
    /** @type {Row[]} */
    const rows = Array.from({ length: QUESTIONS }, () => JSON.parse(lines[Math.floor(random() * lines.length)] ?? ''))
    for (let at = 0; at < rows.length; at += GROUP) {
      const group = rows.slice(at, at + GROUP)
      yield {
        set,
        records: group.flatMap((row, number) => recordsOf(row, number, random)),
        asked: group.map(toQuestion),
      }
    }
  }
}

/** @param {Row} row @returns {PairQuestion} */
function toQuestion({ question, statements }) {
  const right = statements.filter(({ label }) => label === 1).map(({ text }) => plain(text))
  return {
    question,
    answers: (said) => {
      const own = plain(said)
      return right.some((each) => own.includes(each) || (each.includes(own) && own.length > PART * each.length))
    },
  }
}

/** @param {string} text */
function plain(text) {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Writes the statements of a row as a document, with headings, paragraphs, items and speakers. */
function recordsOf(/** @type {Row} */ row, /** @type {number} */ number, /** @type {() => number} */ random) {
  let text = ''
  let heading = ''
  let isOpen = false
  for (const each of row.statements.slice(0, STATEMENTS_MAX)) {
    const said = each.text.trim()
    if (said === '') continue
    if (each.heading && each.heading !== heading) {
      heading = each.heading
      text += `\n\n## ${heading}\n\n`
      isOpen = false
    }
    const isSentence = ENDED.test(said)
    if (each.speaker) text += `\n${each.speaker}: ${said}`
    else if (!isSentence) text += `\n- ${said}`
    else text += isOpen && random() < CONTINUED ? ` ${said}` : `\n\n${said}`
    isOpen = isSentence && !each.speaker
  }
  return [{ external_id: `row/${number}`, type: 'document', title: row.title || `Note ${number}`, text: text.trim() }]
}
