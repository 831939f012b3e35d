// The example workspace as a question set: its records, its questions, and words that each answer must contain.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readLines } from '../sets.mjs'

const FOLDER = new URL('../../examples/workspace/', import.meta.url)

/** Reads the records of the example with their sources, and its sample questions. */
export function readWorkspace() {
  const at = (/** @type {string} */ file) => fileURLToPath(new URL(file, FOLDER))
  const { sources, sample_questions: samples } = JSON.parse(readFileSync(at('workspace.json'), 'utf8'))
  const sent = sources.flatMap(
    (/** @type {{ key: string, provider: string, file: string }} */ { key, provider, file }) =>
      readLines(at(file)).map((record) => ({ record, origin: { sourceId: `src_${key}`, provider } })),
  )
  const keys = new Map(sent.map(({ record }, /** @type {number} */ index) => [record.external_id, index]))
  const questions = samples.map((/** @type {any} */ { question, reference_date: reference, expect, records }) => ({
    id: question,
    text: question,
    reference,
    expect,
    gold: new Map(records.map((/** @type {string} */ key) => [keys.get(key), 1])),
  }))
  return {
    records: sent.map(({ record }) => record),
    originOf: (/** @type {number} */ index) => sent[index].origin,
    questions,
  }
}
