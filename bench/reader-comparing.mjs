// Caches the encoder's comparisons of statements with a question by the digest of both, because a set takes minutes.
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEncoder } from './product.mjs'

const DIGEST_CHARS = 12
const DECIMALS = 10_000

/** Opens the encoder and the cache of its model from earlier runs, in CAIRN_BENCH_VECTORS or a temporary folder. */
export async function openComparing() {
  const reader = await openEncoder()
  const folder = process.env.CAIRN_BENCH_VECTORS ?? join(tmpdir(), 'cairn-bench-vectors')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${reader.card.sha256['model.onnx'].slice(0, DIGEST_CHARS)}.meanings.ndjson`)
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
  /** @type {Map<string, { words: string[], said: number[], alike: number }>} */
  const known = new Map(lines.map((line) => JSON.parse(line)))
  return {
    /** @type {import('./briefs/answerer.mjs').Comparing} */
    compare: async ({ question, texts }) => {
      const keyOf = (/** @type {string} */ text) => createHash('sha256').update(`${question}\0${text}`).digest('base64')
      const missing = texts.filter((text) => !known.has(keyOf(text)))
      const found = await reader.compare(question, missing)
      if (!found) return undefined
      for (const [at, text] of missing.entries()) {
        const said = Array.from(found.termScores[at] ?? [], (each) => Math.round(each * DECIMALS) / DECIMALS)
        const alike = Math.round((found.similarities[at] ?? 0) * DECIMALS) / DECIMALS
        const entry = /** @type {const} */ ([keyOf(text), { words: [...found.words], said, alike }])
        known.set(...entry)
        appendFileSync(path, `${JSON.stringify(entry)}\n`)
      }
      const each = new Map(texts.map((text) => [text, known.get(keyOf(text))]))
      return {
        words: [...each.values()][0]?.words ?? [],
        texts: new Map([...each].map(([text, of]) => [text, { said: of?.said ?? [], alike: of?.alike ?? 0 }])),
      }
    },
    close: () => reader.close(),
  }
}
