// Measures text extraction from typical files. A seeded generator writes documents with known text; installed programs
// (LibreOffice, pandoc, groff, Chromium; missing ones are reported) convert them. Reports for each format the share of
// words extracted and their order, questions about table rows, and PDF pages per second compared with pdftotext. Then
// checks that the last of 2,000 pages and the last of 200,000 rows are found. Then imports generated hostile files
// while polling /healthz.
// Usage: npm run bench:documents [-- long | hostile [FILE…]]; PROFILE=on prints what ran during the longest block of
// each.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { client, makeSandbox, startCairn } from './cairn-process.mjs'
import { hostileFiles } from './documents/hostile.mjs'
import { longFiles } from './documents/long.mjs'
import { bytesOf, makeDocuments, makeFiles } from './documents/made.mjs'
import { compare } from './documents/measure.mjs'
import { FIGURES, openLoopWatch } from './loop-watch.mjs'
import { readDocument } from './product.mjs'

/**
 * Minimum share of words that a format must keep, and minimum share of adjacent word pairs for a file to count as
 * correct.
 */
const WORDS_MIN = 0.98
const ORDER_MIN = 0.95
const PDF_ROUNDS = 3
const IDLE_MS = 3_000

const [part, ...only] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'cairn-documents-'))
const loop = openLoopWatch()
try {
  if (part === 'hostile' || part === 'long') await askService([], [])
  else await measureAll()
} finally {
  loop.close()
  rmSync(folder, { recursive: true, force: true })
}

async function measureAll() {
  const documents = makeDocuments()
  const { files, lacking, tables } = makeFiles(documents, folder)
  for (const each of lacking) console.log(`lacking: ${each}`)
  console.log(`${files.length} files of ${documents.length} documents`)
  await measureReading(files)
  await measurePace(files.filter(({ format }) => format === 'pdf'))
  await askService(documents, tables)
}

/** @param {string} path */
async function read(path) {
  const texts = []
  let pages = 0
  for await (const item of readDocument({ name: basename(path), bytes: bytesOf(path) })) {
    if (item.kind === 'head') {
      texts.push(item.title ?? '')
      pages = Number(item.properties?.pages ?? 0)
    }
    if (item.kind === 'part') texts.push(item.text)
    if (item.kind === 'row') texts.push(item.cells.map(([, value]) => value).join(' '))
  }
  return { text: texts.join('\n'), pages }
}

/** @param {import('./documents/made.mjs').MadeFile[]} made */
async function measureReading(made) {
  /** @type {Map<string, { words: number, order: number }[]>} */
  const kinds = new Map()
  for (const { maker, format, path, made: document } of made) {
    const found = await read(path).then(
      ({ text }) => compare(document.text, text),
      (/** @type {Error} */ error) => {
        console.log(`not read: ${maker} ${basename(path)}: ${error.message}`)
        return { words: 0, order: 0 }
      },
    )
    const kind = `${format}, ${maker}`
    kinds.set(kind, [...(kinds.get(kind) ?? []), found])
  }
  console.log('\nread by format                   files  words  least  in order')
  for (const [kind, found] of kinds) {
    const words = found.map((each) => each.words)
    const right = found.filter(({ order }) => order >= ORDER_MIN).length
    const mean = words.reduce((sum, each) => sum + each, 0) / words.length
    const mark = Math.min(...words) >= WORDS_MIN && right === found.length ? '' : '  *'
    const shown = [mean, Math.min(...words)].map((each) => `${(100 * each).toFixed(1)}%`.padStart(7)).join('')
    console.log(
      `${kind.padEnd(32)} ${String(found.length).padStart(5)}${shown} ${`${right}/${found.length}`.padStart(9)}${mark}`,
    )
  }
  const all = [...kinds.values()].flat()
  const right = all.filter(({ order }) => order >= ORDER_MIN).length
  console.log(`in order: ${right} of ${all.length} files (${((100 * right) / all.length).toFixed(1)} %)`)
}

/** @param {import('./documents/made.mjs').MadeFile[]} pdfs */
async function measurePace(pdfs) {
  if (pdfs.length === 0 || spawnSync('sh', ['-c', 'command -v pdftotext']).status !== 0) {
    return console.log('\nlacking: PDFs, or pdftotext (poppler-utils)')
  }
  let [ours, theirs, pages] = [0, 0, 0]
  for (let round = 0; round < PDF_ROUNDS; round += 1) {
    for (const { path } of pdfs) {
      const begunMs = performance.now()
      pages += (await read(path)).pages
      const readMs = performance.now()
      spawnSync('pdftotext', ['-layout', path, '-'], { stdio: 'ignore' })
      ours += readMs - begunMs
      theirs += performance.now() - readMs
    }
  }
  const [own, other] = [(1000 * pages) / ours, (1000 * pages) / theirs]
  console.log(
    `\npages a second: ${own.toFixed(0)}, pdftotext ${other.toFixed(0)}, ${(other / own).toFixed(1)} times as many`,
  )
}

/**
 * @param {import('./documents/made.mjs').Made[]} documents
 * @param {string[]} tables
 */
async function askService(documents, tables) {
  const cairn = await startCairn({ env: { CAIRN_ENCODER: 'off', ...loop.env } })
  try {
    const call = client(cairn)
    let right = 0
    for (const path of tables) {
      const { storage, query } = await makeSandbox(call, basename(path))
      await send(cairn, storage, basename(path), bytesOf(path))
      const made = documents.find(({ name }) => basename(path).startsWith(name))
      const [berth = '', , price = ''] = made?.table[4] ?? []
      const { answer } = await call('POST', `${query}/search`, { query: `What is the price of ${berth}?` })
      if (answer.includes(price)) right += 1
      else console.log(`not answered from ${basename(path)}: ${answer}`)
    }
    if (tables.length > 0) console.log(`\nrows of tables: ${right} of ${tables.length} questions answered`)
    if (part !== 'hostile') await findEnds(cairn, call)
    if (part !== 'long') await meetHostile(cairn, call)
  } finally {
    await cairn.stop()
  }
}

/**
 * Checks that the last page and the last row of long files are found.
 * @param {Awaited<ReturnType<typeof startCairn>>} cairn
 * @param {ReturnType<typeof client>} call
 */
async function findEnds(cairn, call) {
  loop.watch(cairn)
  console.log(`\nlong file                          outcome                  ${FIGURES}`)
  for (const { name, bytes, asked, answer } of longFiles()) {
    const { storage, query } = await makeSandbox(call, name)
    let outcome = ''
    const { figures, printStretch } = await loop.during(async () => {
      outcome = await send(cairn, storage, name, bytes)
    })
    const { answer: text, execution_time_ms: ms } = await call('POST', `${query}/search`, { query: asked })
    const found = text.includes(answer) ? 'its end is found' : `not found: ${text}`
    console.log(`${name.padEnd(34)} ${outcome.padEnd(24)} ${figures}  ${found} in ${ms.toFixed(0)} ms`)
    printStretch()
  }
}

/**
 * @param {Awaited<ReturnType<typeof startCairn>>} cairn
 * @param {ReturnType<typeof client>} call
 */
async function meetHostile(cairn, call) {
  loop.watch(cairn)
  const { storage } = await makeSandbox(call, 'hostile')
  const idle = await loop.during(() => new Promise((resolve) => setTimeout(resolve, IDLE_MS)))
  console.log(`\nhostile file                       outcome                  ${FIGURES}`)
  console.log(`${'none'.padEnd(60)}${idle.figures}`)
  let [worstMs, worstCpuMs] = [0, 0]
  const hostile = hostileFiles().filter(({ name }) => only.length === 0 || only.includes(name))
  for (const { name, bytes } of hostile) {
    let outcome = ''
    const { figures, healthzMs, cpuMs, printStretch } = await loop.during(async () => {
      outcome = await send(cairn, storage, name, bytes)
    })
    worstMs = Math.max(worstMs, healthzMs)
    worstCpuMs = Math.max(worstCpuMs, cpuMs)
    console.log(`${name.padEnd(34)} ${outcome.padEnd(24)} ${figures}`)
    printStretch()
  }
  const most = `/healthz at most ${worstMs.toFixed(0)} ms, idle ${idle.healthzMs.toFixed(0)} ms`
  console.log(`${hostile.length} hostile files: ${most}; longest stretch ${worstCpuMs.toFixed(0)} ms of processor`)
}

/** @typedef {{ failed: number, written: number, errors: { reason: string }[] }} Counts */

/**
 * Sends a file and returns the outcome.
 * @param {{ url: string, apiKey: string }} cairn
 * @param {string} storage
 * @param {string} name
 * @param {Buffer} bytes
 */
async function send({ url, apiKey }, storage, name, bytes) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/octet-stream' }
  const sent = await fetch(`${url}${storage}/import?path=${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: { ...headers, prefer: 'wait=60' },
    body: new Uint8Array(bytes),
  })
  /** @type {{ job_id?: string, status: string, reason?: string, result?: Counts }} */
  let job = /** @type {any} */ (await sent.json())
  if (!sent.ok) return String(job.reason)
  while (!['completed', 'failed'].includes(job.status)) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    job = /** @type {any} */ (await (await fetch(`${url}${storage}/ingest/${job.job_id}`, { headers })).json())
  }
  const { failed = 0, written = 0, errors = [] } = job.result ?? {}
  return failed > 0 ? (errors[0]?.reason ?? 'failed') : `${written} written`
}
