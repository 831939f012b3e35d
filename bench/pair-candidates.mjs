// Writes what the pair model chooses from, so that it can be measured without a service: for each question of the folders
// the statements of the ten records that `discover` finds, with their context (title › headings · speaker · date).
// Usage: npm run bench:pair-candidates -- TO.jsonl [DIR…]; the folders are those of bench/folders.mjs.
// Each line: {folder, question, answerable, statements: [{context, text, right, around}]}; `right` tells that the statement
// has the answer, `around` that it has it together with the statement before and after it. Nothing is trained on them.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { client, makeSandbox, startCairn } from './cairn-process.mjs'
import { splitSentences, terms } from './product.mjs'
import { readLines } from './sets.mjs'

const OWN = fileURLToPath(new URL('../tests/questions/folders/', import.meta.url))
const CLI = fileURLToPath(new URL('../packages/cli/bin/cairn.js', import.meta.url))
const QUESTIONS = 'questions.jsonl'
const REFERENCE = '2026-11-24'
const RECORDS = 10
const STATEMENTS_MAX = 48
const POLL_MS = 1000

/** @typedef {{ context: string, text: string, before: string, after: string, record: number }} Statement */

/**
 * The statements of a record: sentences, list items and rows, each below its headings. A row carries its header.
 * @param {{ title?: string | null, text?: string | null, occurred_at?: string | null, author?: { name?: string } }} record
 * @param {number} rank
 * @returns {Statement[]}
 */
function statementsOf({ title, text, occurred_at: at, author }, rank) {
  /** @type {string[]} */
  const headings = []
  /** @type {Statement[]} */
  const statements = []
  let header = ''
  for (const line of (text ?? '').split('\n')) {
    const heading = /^(#{1,6})\s+(.*)/.exec(line)
    if (heading?.[1] && heading[2]) headings.splice(heading[1].length - 1, headings.length, heading[2])
    const path = [title ?? '', ...headings].filter((part, place, all) => part && all.indexOf(part) === place)
    const context = [path.join(' › '), author?.name, at?.slice(0, 10)].filter(Boolean).join(' · ')
    const isRow = /^\s*\|.*\|\s*$/.test(line)
    if (!isRow) header = ''
    if (!line.trim() || /^\s*\|?[\s:|-]+\|?\s*$/.test(line)) continue
    const pieces = isRow || heading ? [line.trim()] : splitSentences(line.trim())
    for (const piece of pieces.filter((each) => terms(each).length > 0)) {
      const row = isRow && header ? rowWithHeader(header, piece) : piece
      statements.push({ context, text: row.replace(/^#+\s+/, ''), before: '', after: '', record: rank })
    }
    if (isRow && !header) header = line.trim()
  }
  for (const [place, each] of statements.entries()) {
    each.before = statements[place - 1]?.text ?? ''
    each.after = statements[place + 1]?.text ?? ''
  }
  return statements
}

/** @param {string} header @param {string} row */
function rowWithHeader(header, row) {
  const [names = [], cells = []] = [header, row].map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  )
  return cells.map((cell, place) => (names[place] ? `${names[place]}: ${cell}` : cell)).join('; ')
}

/**
 * The statements that share most with the question: its terms weighed by how few statements have them, and the rank.
 * @param {readonly Statement[]} statements
 * @param {string} question
 */
function shortlist(statements, question) {
  const asked = [...new Set(terms(question))]
  const words = statements.map(({ context, text }) => new Set([...terms(text), ...terms(context)]))
  const weights = asked.map((term) =>
    Math.log(1 + statements.length / (1 + words.filter((set) => set.has(term)).length)),
  )
  const scored = statements.map((statement, place) => ({
    statement,
    score:
      asked.reduce((sum, term, at) => sum + (words[place]?.has(term) ? (weights[at] ?? 0) : 0), 0) +
      2 / (1 + statement.record),
  }))
  return scored
    .toSorted((one, other) => other.score - one.score)
    .slice(0, STATEMENTS_MAX)
    .map(({ statement }) => statement)
}

const [to, ...given] = process.argv.slice(2)
const folders = given.length > 0 ? given : readdirSync(OWN).map((name) => join(OWN, name))
if (!to || !folders.every((folder) => existsSync(join(folder, QUESTIONS)))) {
  console.error('Usage: npm run bench:pair-candidates -- TO.jsonl [DIR…]; each DIR has questions.jsonl.')
  process.exit(1)
}
const cairn = await startCairn()
const call = client(cairn)
const lines = []
for (const folder of folders) {
  const { id, storage, query } = await makeSandbox(call, basename(folder))
  const files = mkdtempSync(join(tmpdir(), 'cairn-folder-'))
  const inside = join(folder, 'files')
  cpSync(existsSync(inside) ? inside : folder, files, { recursive: true })
  rmSync(join(files, QUESTIONS), { force: true })
  const env = { ...process.env, CAIRN_URL: cairn.url, CAIRN_API_KEY: cairn.apiKey }
  execFileSync(process.execPath, [CLI, 'add', files, '--sandbox', id], { env, stdio: 'ignore' })
  rmSync(files, { recursive: true })
  while ((await call('GET', `${storage}/usage`)).reading.waiting > 0)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  for (const { question, answer_pattern: pattern, answerable, history } of readLines(join(folder, QUESTIONS))) {
    if (history?.length) continue
    const { items } = await call('POST', `${query}/discover`, {
      query: question,
      limit: RECORDS,
      reference_date: REFERENCE,
    })
    const records = []
    for (const item of items) records.push(await call('GET', `${storage}/records/${item.record_id}`))
    const says = new RegExp(pattern ?? '(?!)', 'i')
    const statements = shortlist(records.flatMap(statementsOf), question).map(({ context, text, before, after }) => ({
      context,
      text,
      right: says.test(text),
      around: says.test(text) || says.test(`${before} ${text} ${after}`),
    }))
    lines.push(JSON.stringify({ folder: basename(folder), question, answerable, statements }))
  }
}
await cairn.stop()
writeFileSync(to, `${lines.join('\n')}\n`)
console.log(`${lines.length} questions in ${to}`)
