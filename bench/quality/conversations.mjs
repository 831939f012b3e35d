// Long talks between two people: recall of the turns that hold the evidence, within each conversation. A turn is sent
// as a chat connector sends a message: its text, who said it, when the session was, and which session it was.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { askAll, load, rankLexically } from './asking.mjs'
import { briefAll, countFaithful } from './briefs.mjs'
import { mean, percents, printHeading, printRow, recall } from './measures.mjs'

const DEPTHS = [5, 10, 25]
/** Tokens of records, best first, that a writer of an answer would be given. */
const BUDGETS = [2_000, 4_000, 8_000]
/** As many as `discover` gives at most. */
const LIMIT = 100
const BYTES_PER_TOKEN = 4
const CATEGORIES = ['', 'multi-hop', 'temporal', 'open-domain', 'single-hop', 'adversarial']
const PUBLISHED = 'evidence R@5/10/25 of BM25 54.2/61.6/71.6; the best R@10 84.6, R@25 84.5 (all ten conversations)'
const TURN_ID = /D\d+:\d+/g
const HALF_DAY_HOURS = 12

/**
 * @typedef {import('./asking.mjs').Sent} Sent
 * @typedef {{ question: string, category: number, gold: string[] }} Asked
 * @typedef {{ text: string, speaker: string, dia_id: string, blip_caption?: string }} Said
 */

/**
 * "1:56 pm on 8 May, 2023" as a time in UTC.
 * @param {string} text
 */
function readTime(text) {
  const [, hour, minute, half, date] = /(\d+):(\d+) ([ap]m) on (.+)/.exec(text) ?? []
  const hours = (Number(hour) % HALF_DAY_HOURS) + (half === 'pm' ? HALF_DAY_HOURS : 0)
  return new Date(`${date?.replace(',', '')} ${hours}:${minute}:00 UTC`).toISOString()
}

/**
 * @param {Record<string, string | Said[]>} conversation
 * @returns {Sent[]}
 */
function readTurns(conversation) {
  const records = []
  for (let number = 1; Array.isArray(conversation[`session_${number}`]); number += 1) {
    const occurredAt = readTime(String(conversation[`session_${number}_date_time`]))
    for (const said of /** @type {Said[]} */ (conversation[`session_${number}`])) {
      records.push({
        external_id: said.dia_id,
        type: 'message',
        text: said.blip_caption ? `${said.text}\n[image: ${said.blip_caption}]` : said.text,
        author: said.speaker,
        occurred_at: occurredAt,
        properties: { session: number },
      })
    }
  }
  return records
}

/**
 * How many of the ranked records fit into a budget of tokens.
 * @param {readonly string[]} ranked
 * @param {ReadonlyMap<string, number>} bytes
 * @param {number} budget
 */
function countWithin(ranked, bytes, budget) {
  let left = budget * BYTES_PER_TOKEN
  const end = ranked.findIndex((id) => {
    left -= bytes.get(id) ?? 0
    return left < 0
  })
  return end < 0 ? ranked.length : end
}

/**
 * @param {import('./asking.mjs').Call} call
 * @param {string} folder
 */
export async function measureConversations(call, folder) {
  /** @type {Record<string, { asked: Asked, shares: number[] }[]>} */
  const rows = { discover: [], BM25: [] }
  /** @type {import('./briefs.mjs').Briefed[]} */
  const briefed = []
  for (const { conversation, qa } of JSON.parse(readFileSync(join(folder, 'conversations.json'), 'utf8'))) {
    const turns = readTurns(conversation)
    const asked = readAsked(qa)
    const bytes = new Map(turns.map((turn) => [turn.external_id, Buffer.byteLength(`${turn.author}: ${turn.text}\n`)]))
    const questions = asked.map(({ question }) => question)
    const sandbox = await load(call, `conversation ${turns[0]?.occurred_at}`, turns)
    const add = (/** @type {string} */ ranking, /** @type {string[][]} */ ranked) => {
      for (const [at, each] of asked.entries()) {
        const found = ranked[at] ?? []
        const depths = [...DEPTHS, ...BUDGETS.map((budget) => countWithin(found, bytes, budget))]
        rows[ranking]?.push({ asked: each, shares: depths.map((depth) => recall(each.gold, found, depth)) })
      }
    }
    add('discover', await askAll(call, sandbox, questions, LIMIT))
    briefed.push(...(await briefAll(call, sandbox, turns, questions)))
    add('BM25', rankLexically(turns, questions, LIMIT))
  }
  printHeading('evidence in talks', [
    ...DEPTHS.map((depth) => `R@${depth}`),
    ...BUDGETS.map((budget) => `${budget / 1_000}K tok`),
  ])
  for (const [category, name] of ['all', ...CATEGORIES.slice(1)].entries()) {
    for (const [ranking, all] of Object.entries(rows)) {
      const some = all.filter(({ asked }) => category === 0 || asked.category === category)
      if (some.length === 0) continue
      const columns = DEPTHS.length + BUDGETS.length
      const shares = Array.from({ length: columns }, (_, at) => mean(some.map((row) => row.shares[at] ?? 0)))
      printRow(`${name} (${some.length})`, ranking, percents(shares))
    }
  }
  console.log(`  published ${PUBLISHED}`)
  console.log(`  ${countFaithful(briefed)} of ${briefed.length} briefs on the best five turns have no word but theirs`)
}

/**
 * The questions that have evidence.
 * @param {{ question: string, category: number, evidence?: string[] }[]} qa
 * @returns {Asked[]}
 */
function readAsked(qa) {
  return qa
    .map(({ question, category, evidence = [] }) => ({
      question,
      category,
      gold: [...new Set(evidence.join(' ').match(TURN_ID) ?? [])],
    }))
    .filter(({ gold }) => gold.length > 0)
}
