import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What a folder with a model says of it in its `config.json`. */
export interface ModelCard {
  readonly name: string
  /** Numbers of a vector. */
  readonly dimensions: number
  /** Of a longer text the first so many tokens are read, those that begin and end it included. */
  readonly tokensMax: number
  /** SHA-256 in hexadecimal of each file, by its name; they are compared when the model is loaded. */
  readonly sha256: { readonly 'model.onnx': string; readonly 'vocab.txt': string }
}

/** The folder of the model that comes with this package. */
export const MODEL_FOLDER = fileURLToPath(new URL('../model', import.meta.url))

/** More than any sentence model has; a card that says more is not one. */
const DIMENSIONS_MAX = 4_096
const TOKENS_MAX = 8_192
const SHA256 = /^[0-9a-f]{64}$/

/** What the folder says of its model. Throws a ReaderMissing that says what is wrong with it. */
export function readModelCard(folder: string): ModelCard {
  const path = join(folder, 'config.json')
  let card: Partial<ModelCard>
  try {
    card = JSON.parse(readFileSync(path, 'utf8')) as Partial<ModelCard>
  } catch (error) {
    throw new ReaderMissing(`${path} could not be read as JSON: ${(error as Error).message}`)
  }
  const { name, dimensions, tokensMax, sha256 } = card ?? {}
  if (typeof name !== 'string' || name === '') throw new ReaderMissing(`${path} has no "name"`)
  if (!isCount(dimensions, DIMENSIONS_MAX) || dimensions % 8 !== 0) {
    throw new ReaderMissing(`"dimensions" of ${path} is no multiple of 8 up to ${DIMENSIONS_MAX}`)
  }
  if (!isCount(tokensMax, TOKENS_MAX))
    throw new ReaderMissing(`"tokensMax" of ${path} is no number up to ${TOKENS_MAX}`)
  const digests = { 'model.onnx': sha256?.['model.onnx'] ?? '', 'vocab.txt': sha256?.['vocab.txt'] ?? '' }
  if (!Object.values(digests).every((digest) => SHA256.test(digest))) {
    throw new ReaderMissing(`"sha256" of ${path} has no digests of model.onnx and vocab.txt`)
  }
  return { name, dimensions, tokensMax, sha256: digests }
}

function isCount(value: unknown, max: number): value is number {
  return Number.isInteger(value) && (value as number) > 2 && (value as number) <= max
}

/** There is no reader: its runtime or its model is missing, or is not what it should be. The message says which. */
export class ReaderMissing extends Error {
  override readonly name = 'ReaderMissing'
}
