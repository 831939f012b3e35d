// Small invented data sets of kinds that no public set covers, each with questions and expected answers: a support
// desk, a research group, conversations with an assistant, and an open-source project.
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { readLines } from '../sets.mjs'

const FOLDER = new URL('../../tests/questions/bodies/', import.meta.url)
/** The data sets, with the reference date of their questions. */
export const BODIES = {
  desk: '2025-05-07',
  ward: '2025-06-20',
  memory: '2025-09-01',
  forge: '2025-04-05',
  chats: '2026-08-10',
}

/**
 * A question. `says` is a pattern of its answer; without it the question is unanswerable.
 * @typedef {{ text: string, history: readonly string[], reference: string, says?: RegExp, notFirst?: RegExp,
 *   isDevelopment: boolean }} BodyQuestion
 */

/** Reads the lines to ingest: records, or sessions of messages. @param {keyof typeof BODIES} name */
export function linesOf(name) {
  return readLines(fileURLToPath(new URL(`${name}.ndjson`, FOLDER)))
}

/**
 * Reads the questions of a data set. Only those of the development half may be inspected.
 * @param {keyof typeof BODIES} name
 * @returns {BodyQuestion[]}
 */
export function bodyQuestions(name) {
  return readLines(fileURLToPath(new URL(`${name}.questions.ndjson`, FOLDER))).map(
    ({ question: text, history = [], says, not_first: notFirst }) => ({
      text,
      history,
      reference: BODIES[name],
      isDevelopment: (createHash('sha1').update(text).digest()[0] ?? 0) % 2 === 1,
      ...(says && { says: new RegExp(says, 's') }),
      ...(notFirst && { notFirst: new RegExp(notFirst) }),
    }),
  )
}

/**
 * Returns the records of a data set as they are stored; messages become records of their session. @param {keyof typeof
 * BODIES} name
 */
export function bodyRecords(name) {
  return linesOf(name).flatMap((line) =>
    line.messages === undefined
      ? [line]
      : line.messages.map(
          (/** @type {any} */ { role, content: text, created_at: at }, /** @type {number} */ place) => ({
            external_id: `session/${line.session_id}/at/${place}`,
            type: 'message',
            text,
            occurred_at: at,
            author: role === 'assistant' ? { type: 'agent', name: role } : null,
            properties: { session: line.session_id, role },
          }),
        ),
  )
}
