// Records the product's output for thousands of questions and texts, and compares it with an earlier recording. This
// shows that a change alters no answer. Recordings contain public data sets, so keep them outside the repository.
// Usage: npm run freeze -- TO DIR [--sample N]           records into TO; DIR holds public question sets
//        npm run freeze -- TO --compare FROM             records into TO with what FROM was recorded with, unless it is
//                                                        recorded already, and compares
import { createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SETTINGS = 'frozen.json'
const SAMPLE = 3_000
const SHOWN = 20
const SHOWN_CHARS = 160
const USAGE = `Usage: npm run freeze -- TO DIR [--sample N] or npm run freeze -- TO --compare FROM
TO must be outside the repository and empty, not there, or recorded already; DIR holds public question sets.`

/** @typedef {{ data: string, sample: number }} Settings */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { compare: { type: 'string' }, sample: { type: 'string' } },
})
const [to = '', data] = positionals
const isRecorded = existsSync(join(to, SETTINGS))
const isTaken = existsSync(to) && readdirSync(to).length > 0 && !(isRecorded && values.compare)
const isWrong = to === '' || resolve(to).startsWith(ROOT) || isTaken || !(data ?? values.compare)
const settings = isWrong ? undefined : settingsFrom()
if (settings && existsSync(settings.data)) process.exitCode = await run(settings)
else {
  console.error(USAGE)
  process.exitCode = 1
}
// Closed engines may still have a timer.
process.exit()

/** @returns {Settings | undefined} */
function settingsFrom() {
  const before = values.compare === undefined ? undefined : join(values.compare, SETTINGS)
  if (before && !existsSync(before)) return undefined
  const known = before ? /** @type {Settings} */ (JSON.parse(readFileSync(before, 'utf8'))) : undefined
  return { data: resolve(data ?? known?.data ?? ''), sample: Number(values.sample ?? known?.sample ?? SAMPLE) }
}

/** @param {Settings} wanted @returns {Promise<number>} the exit code */
async function run(wanted) {
  if (!isRecorded) {
    const startedMs = performance.now()
    await record(to, wanted)
    console.log(`recorded in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`)
  }
  return values.compare === undefined ? 0 : compare(values.compare, to)
}

/**
 * Writes one file of JSON lines per kind.
 * @param {string} folder
 * @param {Settings} wanted
 */
async function record(folder, wanted) {
  // The benchmarks need the built product, so they are imported dynamically and not type-checked.
  const { goldens } = await import(new URL('../bench/goldens.mjs', import.meta.url).href)
  mkdirSync(folder, { recursive: true })
  /** @type {Map<string, import('node:fs').WriteStream>} */
  const files = new Map()
  /** @type {Map<string, number>} */
  const counts = new Map()
  const report = (/** @type {string} */ what) => console.log(what)
  for await (const { kind, key, value } of goldens(wanted.data, wanted.sample, report)) {
    const file = files.get(kind) ?? createWriteStream(join(folder, `${kind}.jsonl`))
    files.set(kind, file)
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    file.write(`${JSON.stringify({ key, value })}\n`)
  }
  await Promise.all([...files.values()].map((file) => new Promise((done) => void file.end(() => done(undefined)))))
  writeFileSync(join(folder, SETTINGS), `${JSON.stringify(wanted)}\n`)
  console.log([...counts].map(([kind, count]) => `${count} ${kind}`).join(', '))
}

/**
 * Prints the differences by kind. Returns 1 if there are any, else 0.
 * @param {string} before
 * @param {string} after
 */
function compare(before, after) {
  const kinds = new Set(
    [before, after].flatMap((folder) => readdirSync(folder)).filter((name) => /\.jsonl$/.test(name)),
  )
  let all = 0
  for (const file of [...kinds].sort()) {
    const old = readKind(join(before, file))
    const now = readKind(join(after, file))
    const keys = [...new Set([...old.keys(), ...now.keys()])]
    const different = keys.filter((key) => old.get(key) !== now.get(key))
    all += different.length
    console.log(`${file}: ${different.length} of ${keys.length} differ`)
    for (const key of different.slice(0, SHOWN)) {
      console.log(`  ${key}`)
      for (const line of differences(old.get(key), now.get(key))) console.log(`    ${line}`)
    }
  }
  console.log(all === 0 ? 'Nothing differs.' : `${all} differ.`)
  return all === 0 ? 0 : 1
}

/** Returns JSON values by key. A question that is asked twice counts twice. @param {string} path */
function readKind(path) {
  /** @type {Map<string, string>} */
  const values = new Map()
  if (!existsSync(path)) return values
  for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
    const { key, value } = JSON.parse(line)
    let own = key
    for (let again = 2; values.has(own); again += 1) own = `${key} (${again})`
    values.set(own, JSON.stringify(value))
  }
  return values
}

/**
 * Returns the fields in which two values differ, before and after.
 * @param {string | undefined} old
 * @param {string | undefined} now
 */
function differences(old, now) {
  if (old === undefined || now === undefined) return [old === undefined ? 'is new' : 'is gone']
  const [one, other] = [old, now].map((text) => JSON.parse(text))
  return [...new Set([one, other].flatMap((value) => Object.keys(value)))].flatMap((field) => {
    const [was = '', is = ''] = [one, other].map((value) => JSON.stringify(value[field]))
    if (was === is) return []
    const from = Math.max(0, firstDifference(was, is) - SHOWN)
    const part = (/** @type {string} */ text) => text.slice(from, from + SHOWN_CHARS)
    return [`${field} was ${part(was)}`, `${' '.repeat(field.length)}  is ${part(is)}`]
  })
}

/** @param {string} one @param {string} other */
function firstDifference(one, other) {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}
