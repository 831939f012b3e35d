// Vectors of the reader in this process, kept by the digest of each text, since making those of a set takes minutes.
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openReader } from './product.mjs'

/** Texts whose vectors are kept at a time: what an interrupted run has made is not lost. */
const BATCH = 64
const DIGEST_CHARS = 12

/** Opens the reader, and what an earlier run has kept of its model in CAIRN_BENCH_VECTORS or a temporary folder. */
export async function openReaderVectors() {
  const reader = await openReader()
  const folder = process.env.CAIRN_BENCH_VECTORS ?? join(tmpdir(), 'cairn-bench-vectors')
  mkdirSync(folder, { recursive: true })
  const { dimensions, sha256 } = reader.card
  const path = join(folder, sha256['model.onnx'].slice(0, DIGEST_CHARS))
  const keys = existsSync(`${path}.keys`) ? readFileSync(`${path}.keys`, 'utf8').split('\n').filter(Boolean) : []
  const bytes = keys.length > 0 ? readFileSync(`${path}.f32`) : Buffer.alloc(0)
  const each = dimensions * Float32Array.BYTES_PER_ELEMENT
  const known = new Map(
    keys.map((key, at) => [key, new Float32Array(bytes.buffer, bytes.byteOffset + at * each, dimensions)]),
  )
  const keyOf = (/** @type {string} */ text) => createHash('sha256').update(text).digest('hex')
  return {
    /** Vectors of length 1 of some texts, in their order. @param {readonly string[]} texts */
    async vectors(texts) {
      const missing = [...new Set(texts)].filter((text) => !known.has(keyOf(text)))
      for (let from = 0; from < missing.length; from += BATCH) {
        const batch = missing.slice(from, from + BATCH)
        const vectors = await reader.encodeLater(batch)
        appendFileSync(`${path}.f32`, Buffer.concat(vectors.map((vector) => Buffer.from(vector.buffer))))
        appendFileSync(`${path}.keys`, batch.map((text) => `${keyOf(text)}\n`).join(''))
        for (const [at, text] of batch.entries()) known.set(keyOf(text), vectors[at] ?? new Float32Array(dimensions))
      }
      return texts.map((text) => known.get(keyOf(text)) ?? new Float32Array(dimensions))
    },
    close: () => reader.close(),
  }
}
