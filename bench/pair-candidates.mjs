// Writes the candidates of the pair model, so that it can be measured without a service. For each question of the
// folders, these are the shortlisted statements of the ten records that `discover` finds, each with its context.
// Usage: npm run bench:pair-candidates -- TO.jsonl [DIR…]; the folders are those of bench/folders.mjs. Each line:
// {folder, question, answerable, statements: [{context, text, right, around}]}. `right` means that the statement has
// the answer, `around` that the surrounding passage has it. They are never used for training.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { client, makeSandbox, startCairn } from './cairn-process.mjs'
import { expand, segment, shortlist, terms } from './product.mjs'
import { readLines } from './sets.mjs'

const OWN = fileURLToPath(new URL('../tests/questions/folders/', import.meta.url))
const CLI = fileURLToPath(new URL('../packages/cli/bin/cairn.js', import.meta.url))
const QUESTIONS = 'questions.jsonl'
const REFERENCE = '2026-11-24'
const RECORDS = 10
const POLL_MS = 1000

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
    const segmented = records.map(({ id, title, text, type, author }, at) =>
      segment(
        {
          ...{ id, tuples: [], entities: [], type, score: 1 / (1 + at) },
          ...(title && { title }),
          ...(text && { text }),
          ...(author?.name && { author: { name: author.name } }),
        },
        at,
      ),
    )
    const held = segmented.map((record) => new Set(terms(record.text)))
    const idfOf = (/** @type {string} */ term) =>
      Math.log(1 + (held.length + 1) / (held.filter((each) => each.has(term)).length + 1))
    const asked = { terms: [...new Set(terms(question))], idfOf, termsOf: terms }
    const statements = shortlist(asked, segmented).map((statement) => {
      const own = /** @type {typeof segmented[number]} */ (segmented[statement.record])
      const { start, end } = expand(statement, own)
      const right = says.test(statement.text) || says.test(own.text.slice(statement.start, statement.end))
      const { context, text } = statement
      return { context, text, right, around: right || says.test(own.text.slice(start, end)) }
    })
    lines.push(JSON.stringify({ folder: basename(folder), question, answerable, statements }))
  }
}
await cairn.stop()
writeFileSync(to, `${lines.join('\n')}\n`)
console.log(`${lines.length} questions in ${to}`)
