import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Description of a model, read from `config.json` in its folder. */
export interface ModelCard {
  readonly name: string
  /** Number of dimensions of a vector. */
  readonly dimensions: number
  /** Maximum number of tokens of a text that are used, including the special tokens at both ends. */
  readonly tokensMax: number
  /** SHA-256 digests of the files in hexadecimal, verified when the model is loaded. */
  readonly sha256: { readonly 'model.onnx': string; readonly 'vocab.txt': string }
}

/** Folder of the bundled model. */
export const MODEL_FOLDER = fileURLToPath(new URL('../model', import.meta.url))

/** The bundled pair model. It uses the vocabulary of the bundled encoder. */
export interface PairModelFiles {
  readonly folder: string
  readonly vocabularyFolder: string
  /** SHA-256 digests of `pairs.onnx` and `vocab.txt` in hexadecimal, verified when the model is loaded. */
  readonly sha256: Readonly<Record<string, string>>
  /** Minimum probability of a supported claim. `npm run bench:claims` compares other values. */
  readonly supportedMin: number
}

/** Reads the description of the bundled pair model. */
export function pairModelFiles(): PairModelFiles {
  const folder = fileURLToPath(new URL('../pairs', import.meta.url))
  const { sha256, supportedMin } = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as PairModelFiles
  return { folder, vocabularyFolder: MODEL_FOLDER, sha256, supportedMin }
}

/** Upper limits for values in a model card. Real sentence encoders are far below them. */
const DIMENSIONS_MAX = 4_096
const TOKENS_MAX = 8_192
const SHA256 = /^[0-9a-f]{64}$/

/** Reads the model card of a folder. If it is invalid, throws an EncoderUnavailable that names the problem. */
export function readModelCard(folder: string): ModelCard {
  const path = join(folder, 'config.json')
  let card: Partial<ModelCard>
  try {
    card = JSON.parse(readFileSync(path, 'utf8')) as Partial<ModelCard>
  } catch (error) {
    throw new EncoderUnavailable(`${path} could not be read as JSON: ${(error as Error).message}`)
  }
  const { name, dimensions, tokensMax, sha256 } = card ?? {}
  if (typeof name !== 'string' || name === '') throw new EncoderUnavailable(`${path} has no "name"`)
  if (!isCount(dimensions, DIMENSIONS_MAX) || dimensions % 8 !== 0) {
    throw new EncoderUnavailable(`"dimensions" in ${path} must be a multiple of 8 up to ${DIMENSIONS_MAX}`)
  }
  if (!isCount(tokensMax, TOKENS_MAX))
    throw new EncoderUnavailable(`"tokensMax" in ${path} must be an integer from 3 to ${TOKENS_MAX}`)
  const digests = { 'model.onnx': sha256?.['model.onnx'] ?? '', 'vocab.txt': sha256?.['vocab.txt'] ?? '' }
  if (!Object.values(digests).every((digest) => SHA256.test(digest))) {
    throw new EncoderUnavailable(`"sha256" in ${path} must have the digests of model.onnx and vocab.txt`)
  }
  return { name, dimensions, tokensMax, sha256: digests }
}

function isCount(value: unknown, max: number): value is number {
  return Number.isInteger(value) && (value as number) > 2 && (value as number) <= max
}

/** Thrown if no encoder is available, because its runtime or model is missing or invalid. The message says which. */
export class EncoderUnavailable extends Error {
  override readonly name = 'EncoderUnavailable'
}
