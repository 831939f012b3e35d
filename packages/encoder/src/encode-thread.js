// Worker thread that runs the models. It receives one text at a time. It returns the text's vector, how well the text
// expresses each word of a question, or how well it supports a claim. The runtime is loaded only here: if it is missing
// or busy, no other thread is affected.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants, platform, setPriority } from 'node:os'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { openPairModel } from './pair-model.js'
import { createTokenizer } from './tokenizer.js'

/**
 * Types of the used part of the runtime. It is an optional dependency, so its own types may be missing.
 * @typedef {{ data: Float32Array, dims: readonly number[], dispose(): void }} Tensor
 * @typedef {{ run(feeds: Record<string, Tensor>, outputs: readonly string[]): Promise<Record<string, Tensor>>,
 *   readonly outputNames: readonly string[] }} Session
 * @typedef {{ Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => Tensor,
 *   InferenceSession: { create(model: Uint8Array, options: object): Promise<Session> } }} Runtime
 */

const { folder, card, cores, isBackground, pairs } = /** @type {import('./encoder-thread.ts').ThreadStart} */ (
  workerData
)
/** Session options. Texts are run one at a time without batching, so equal texts have identical vectors. */
const OPTIONS = {
  executionProviders: ['cpu'],
  intraOpNumThreads: cores,
  interOpNumThreads: 1,
  // An idle thread does not spin.
  extra: { session: { intra_op: { allow_spinning: '0' } } },
  // Without this, the session would keep the memory that the longest text needed.
  enableCpuMemArena: false,
  enableMemPattern: false,
  logSeverityLevel: 3,
}

/**
 * Reads a file of a model. Throws if its digest is not the one in the folder's config.json.
 * @param {string} from
 * @param {Readonly<Record<string, string>>} digests
 * @param {string} name
 */
function readChecked(from, digests, name) {
  const bytes = readFileSync(join(from, name))
  const digest = createHash('sha256').update(bytes).digest('hex')
  if (digest !== digests[name]) throw new Error(`${name} in ${from} does not match its SHA-256 digest in config.json`)
  return bytes
}

function loadRuntime() {
  try {
    return /** @type {Runtime} */ (createRequire(import.meta.url)('onnxruntime-node'))
  } catch (error) {
    throw new Error(`onnxruntime-node could not be loaded: ${String(error).split('\n')[0]}`)
  }
}

/**
 * Result of a model run for a text: its vector, its token vectors (normalized and concatenated), the number of tokens,
 * and its words with their tokens.
 * @typedef {{ vector: Float32Array, tokens: Float32Array, count: number, words: import('./tokenizer.js').Word[] }} Read
 */

/** @param {Runtime} runtime */
async function open({ Tensor, InferenceSession }) {
  const read = (/** @type {string} */ name) => readChecked(folder, card.sha256, name)
  const tokenize = createTokenizer(read('vocab.txt').toString('utf8'), card.tokensMax)
  const session = await InferenceSession.create(read('model.onnx'), OPTIONS)
  /** @param {string} text @param {('vector' | 'tokens')[]} outputs */
  const run = async (text, outputs) => {
    const { ids, words } = tokenize(text)
    const shape = [1, ids.length]
    const feeds = {
      input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), shape),
      attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
    }
    const outputsByName = await session.run(feeds, outputs)
    /** @param {'vector' | 'tokens'} output @param {number} count */
    const copyOf = (output, count) => {
      const data = outputsByName[output]?.data
      if (data?.length !== count * card.dimensions) {
        throw new Error(`the model returned no ${output}, or not in the expected size`)
      }
      return Float32Array.from(data)
    }
    return {
      vector: copyOf('vector', 1),
      tokens: outputs.includes('tokens') ? copyOf('tokens', ids.length) : new Float32Array(),
      count: ids.length,
      words,
    }
  }
  return {
    isComparing: session.outputNames.includes('tokens'),
    encode: async (/** @type {string} */ text) => (await run(text, ['vector'])).vector,
    /** @param {string} text @returns {Promise<Read>} */
    read: async (text) => {
      const { vector, tokens, count, words } = await run(text, ['vector', 'tokens'])
      for (let at = 0; at < count; at++) scaleToOne(tokens.subarray(at * card.dimensions, (at + 1) * card.dimensions))
      return { vector, tokens, count, words }
    },
  }
}

/** Opens the pair model. @param {Runtime} runtime */
async function openPairs({ Tensor, InferenceSession }) {
  const vocabulary = readChecked(pairs.vocabularyFolder, pairs.sha256, 'vocab.txt').toString('utf8')
  const session = await InferenceSession.create(readChecked(pairs.folder, pairs.sha256, 'pairs.onnx'), OPTIONS)
  return openPairModel(Tensor, session, vocabulary)
}

/** @param {Float32Array} vector */
function scaleToOne(vector) {
  const length = Math.hypot(...vector) || 1
  for (const [at, value] of vector.entries()) vector[at] = value / length
}

/**
 * Returns how well a text expresses each word of a question. The value is the mean, over the word's tokens, of the
 * greatest cosine similarity to a token of the text.
 * @param {Read} asked
 * @param {Read} text
 */
function termScores(asked, text) {
  return Float32Array.from(asked.words, ({ from, to }) => {
    let sum = 0
    for (let piece = from; piece < to; piece++) sum += maxCosine(asked.tokens, piece, text)
    return sum / (to - from)
  })
}

/** @param {Float32Array} tokens @param {number} piece @param {Read} text */
function maxCosine(tokens, piece, text) {
  const { dimensions } = card
  let greatest = 0
  // The special tokens at both ends are excluded, because they represent the whole text.
  for (let other = 1; other < text.count - 1; other++) {
    let cosine = 0
    for (let at = 0; at < dimensions; at++) {
      cosine += (tokens[piece * dimensions + at] ?? 0) * (text.tokens[other * dimensions + at] ?? 0)
    }
    greatest = Math.max(greatest, cosine)
  }
  return greatest
}

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
/** Lowers the priority of this thread. Only on Linux, because elsewhere it would affect the whole process. */
function lowerPriority() {
  try {
    if (platform() === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Keeps the normal priority if changing it is not permitted.
  }
}

try {
  const runtime = loadRuntime()
  const { encode, read, isComparing } = await open(runtime)
  /** Opened by the first claim, because few services check any. @type {ReturnType<typeof openPairs> | undefined} */
  let pairModel
  // Warms up the session.
  await encode('')
  if (isBackground) lowerPriority()
  /** The question of the last comparison with its token vectors. The texts of a comparison arrive one by one. */
  let asked = { question: '', read: await (isComparing ? read('') : undefined) }
  /** @param {string} question */
  const readQuestion = async (question) => {
    if (asked.question !== question) asked = { question, read: await read(question) }
    return /** @type {Read} */ (asked.read)
  }
  port.on(
    'message',
    async (/** @type {{ text: string, question?: string, claim?: string, isLast?: boolean }} */ message) => {
      if (message.isLast) return port.close()
      const { text, question, claim } = message
      try {
        if (claim !== undefined) {
          pairModel ??= openPairs(runtime)
          port.postMessage({ vector: await (await pairModel)(claim, text) })
        } else if (question === undefined) {
          const vector = await encode(text)
          port.postMessage({ vector }, [vector.buffer])
        } else {
          const ofQuestion = await readQuestion(question)
          const words = ofQuestion.words.map((word) => word.text)
          const ofText = await read(text)
          const similarity = ofText.vector.reduce((sum, value, at) => sum + value * (ofQuestion.vector[at] ?? 0), 0)
          port.postMessage({ vector: termScores(ofQuestion, ofText), words, similarity })
        }
      } catch (error) {
        port.postMessage({ failure: String(error) })
      }
    },
  )
  port.postMessage({ ready: true, isComparing })
} catch (error) {
  port.postMessage({ missing: error instanceof Error ? error.message : String(error) })
}
