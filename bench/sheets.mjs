// Asks questions over eight sheets in tests/questions/sheets and reports how many answers are right, how many were
// computed from rows, and how many unanswerable questions were not answered. Those of four sheets (`test`) were never
// read while the parser was written. Usage: npm run bench:sheets [-- --show]; --show prints the wrong answers of `dev`.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { client, makeSandbox, startCairn } from './cairn-process.mjs'
import { readLines } from './sets.mjs'

const SHEETS = fileURLToPath(new URL('../tests/questions/sheets/', import.meta.url))
const CLI = fileURLToPath(new URL('../packages/cli/bin/cairn.js', import.meta.url))
const REFERENCE = '2026-11-24'
const DAY = /^\d{4}-\d{2}-\d{2}$/
/** Maximum number of characters between a group and its number. */
const NEAR_CHARS = 40
/** Maximum difference of a number, because averages are given with one decimal. */
const TOLERANCE = 0.05

/** @typedef {null | number | string | string[] | Record<string, number>} Expected */
/** @typedef {{ file: string, question: string, split: 'dev' | 'test', expected: Expected }} Question */

const questions = /** @type {Question[]} */ (readLines(join(SHEETS, 'questions.jsonl')))
const cairn = await startCairn({ env: { CAIRN_ENCODER: 'off' } })
const call = client(cairn)
/** @type {Map<string, { query: string, titles: string[] }>} */
const sheets = new Map()
for (const file of new Set(questions.map((each) => each.file))) {
  const { id, query } = await makeSandbox(call, file)
  const folder = mkdtempSync(join(tmpdir(), 'cairn-sheet-'))
  cpSync(join(SHEETS, file), join(folder, file))
  const env = { ...process.env, CAIRN_URL: cairn.url, CAIRN_API_KEY: cairn.apiKey }
  execFileSync(process.execPath, [CLI, 'add', folder, '--sandbox', id], { env, stdio: 'ignore' })
  rmSync(folder, { recursive: true })
  const rows = readFileSync(join(SHEETS, file), 'utf8').split('\n').slice(1).filter(Boolean)
  sheets.set(file, { query, titles: rows.map((row) => row.split(',')[0] ?? '') })
}

/** @type {Record<string, Record<string, number>>} */
const figures = {}
for (const { file, question, split, expected } of questions) {
  const { query, titles } = /** @type {{ query: string, titles: string[] }} */ (sheets.get(file))
  const asked = { query: question, statements: true, reference_date: REFERENCE }
  const { answered, answer, statements = [] } = await call('POST', `${query}/search`, asked)
  const isRight = expected === null ? !answered : answered && states(answer, expected, titles)
  const isComputed = answered && statements.length === 0
  figures[split] ??= { answerable: 0, right: 0, computed: 0, 'computed right': 0, others: 0, refused: 0 }
  const figure = figures[split]
  const add = (/** @type {string} */ name, /** @type {boolean} */ is) => {
    if (figure) figure[name] = (figure[name] ?? 0) + Number(is)
  }
  add(expected === null ? 'others' : 'answerable', true)
  add(expected === null ? 'refused' : 'right', isRight)
  add('computed', isComputed)
  add('computed right', isComputed && isRight)
  if (!isRight && split === 'dev' && process.argv.includes('--show'))
    console.log(`${file}: ${question} → ${answer.replace(/\s+/g, ' ').slice(0, 200)}`)
}
console.table(figures)
await cairn.stop()

/**
 * Returns true if an answer states the expected value.
 * @param {string} answer
 * @param {Expected} expected
 * @param {readonly string[]} titles
 */
function states(answer, expected, titles) {
  if (typeof expected === 'number') return numbersIn(answer).some((each) => isSame(each, expected))
  if (typeof expected === 'string') {
    const day = DAY.test(expected) ? new Date(expected) : undefined
    const written = day?.toLocaleDateString('en-GB', {
      day: 'numeric',
      month: 'long',
      year: 'numeric',
      timeZone: 'UTC',
    })
    return expected.split(', ').every((part) => answer.includes(part)) || Boolean(written && answer.includes(written))
  }
  if (Array.isArray(expected)) return titles.every((title) => holds(answer, title) === expected.includes(title))
  return Object.entries(expected ?? {}).every(([group, count]) => {
    const at = answer.indexOf(group)
    const [first = Number.NaN] = numbersIn(answer.slice(at + group.length, at + group.length + NEAR_CHARS))
    return at >= 0 && isSame(first, count)
  })
}

/**
 * Returns true if an answer contains a row's title as whole words.
 * @param {string} answer
 * @param {string} title
 */
function holds(answer, title) {
  const at = ` ${answer.replace(/[^\p{L}\p{N}-]+/gu, ' ')} `
  return at.includes(` ${title.replace(/[^\p{L}\p{N}-]+/gu, ' ')} `)
}

/** @param {string} text */
function numbersIn(text) {
  return [...text.matchAll(/(?<![\w.#-])\d[\d,]*(?:\.\d+)?(?![\w-])/g)].map(([found]) =>
    Number(found.replaceAll(',', '')),
  )
}

/** @param {number} one @param {number} other */
function isSame(one, other) {
  return Math.abs(one - other) <= TOLERANCE
}
