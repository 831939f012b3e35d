// Reads long conversations between two people. Each turn is a record as a chat connector sends a message, with its
// text, speaker, session and time. The gold of a question is the turns with its evidence.
import { readFileSync } from 'node:fs'

const CATEGORIES = ['', 'multi-hop', 'temporal', 'open-domain', 'single-hop', 'adversarial']
const TURN_ID = /D\d+:\d+/g
const HALF_DAY_HOURS = 12

/**
 * @typedef {{ text: string, speaker: string, dia_id: string, blip_caption?: string }} Said
 * @typedef {{ question: string, category: number, evidence?: string[] }} Question
 */

/**
 * Converts "1:56 pm on 8 May, 2023" to a UTC time.
 * @param {string} text
 */
function readTime(text) {
  const [, hour, minute, half, date] = /(\d+):(\d+) ([ap]m) on (.+)/.exec(text) ?? []
  const hours = (Number(hour) % HALF_DAY_HOURS) + (half === 'pm' ? HALF_DAY_HOURS : 0)
  return new Date(`${date?.replace(',', '')} ${hours}:${minute}:00 UTC`).toISOString()
}

/** @param {Record<string, string | Said[]>} conversation */
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
 * Reads each conversation of a file: its turns, and its questions with evidence. Gold is by turn index.
 * @param {string} path
 */
export function readConversations(path) {
  /** @type {{ sample_id: string, conversation: Record<string, string | Said[]>, qa: Question[] }[]} */
  const talks = JSON.parse(readFileSync(path, 'utf8'))
  return talks.map(({ sample_id: talk, conversation, qa }) => {
    const records = readTurns(conversation)
    const indexes = new Map(records.map((record, at) => [record.external_id, at]))
    const questions = qa.map(({ question, category, evidence = [] }, number) => {
      const turns = evidence.join(' ').match(TURN_ID) ?? []
      return {
        id: `${talk}/${number}`,
        text: question,
        group: CATEGORIES[category] ?? '',
        gold: new Map(turns.map((turn) => [indexes.get(turn) ?? -1, 1])),
      }
    })
    return { records, questions: questions.filter(({ gold }) => gold.size > 0) }
  })
}
