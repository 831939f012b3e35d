// Caches the encoder's vectors by the digest of each text, because embedding a set takes minutes.
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEncoder } from './product.mjs'

/** Number of texts saved at a time, so that an interrupted run loses little. */
const BATCH = 64
const DIGEST_CHARS = 12

/**
 * Opens the encoder and the cache of its model from earlier runs, in CAIRN_BENCH_VECTORS or a temporary folder. The
 * model is that in the folder CAIRN_BENCH_ENCODER, or the bundled one.
 */
export async function openEncoderVectors() {
  const reader = await openEncoder(process.env.CAIRN_BENCH_ENCODER)
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
    /** Returns the unit vectors of texts, in order. @param {readonly string[]} texts */
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
