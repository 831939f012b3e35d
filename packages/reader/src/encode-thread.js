// The thread that runs the model: it is given one text at a time, and gives its vector. The runtime is loaded here
// alone, so that neither its absence nor its work is felt elsewhere.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { createTokenizer } from './tokenizer.js'

/**
 * What is used of the runtime, which is an optional dependency, so that types of its own may be missing.
 * @typedef {{ data: Float32Array, dims: readonly number[], dispose(): void }} Tensor
 * @typedef {{ run(feeds: Record<string, Tensor>): Promise<Record<string, Tensor>> }} Session
 * @typedef {{ Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => Tensor,
 *   InferenceSession: { create(model: Uint8Array, options: object): Promise<Session> } }} Runtime
 */

/** @type {{ folder: string, card: import('./model-folder.ts').ModelCard }} */
const { folder, card } = workerData
/** One thread and one text at a time: equal texts have equal bits, whatever stands beside them. */
const OPTIONS = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  // Keeps no memory for the longest text that ever came.
  enableCpuMemArena: false,
  enableMemPattern: false,
  logSeverityLevel: 3,
}

/** The bytes of a file of the model, which is the one that its card is of. @param {'model.onnx' | 'vocab.txt'} name */
function readChecked(name) {
  const bytes = readFileSync(join(folder, name))
  const digest = createHash('sha256').update(bytes).digest('hex')
  if (digest !== card.sha256[name]) throw new Error(`${name} in ${folder} is not the one that config.json is of`)
  return bytes
}

function loadRuntime() {
  try {
    return /** @type {Runtime} */ (createRequire(import.meta.url)('onnxruntime-node'))
  } catch (error) {
    throw new Error(`onnxruntime-node could not be loaded: ${String(error).split('\n')[0]}`)
  }
}

async function open() {
  const { Tensor, InferenceSession } = loadRuntime()
  const tokenize = createTokenizer(readChecked('vocab.txt').toString('utf8'), card.tokensMax)
  const session = await InferenceSession.create(readChecked('model.onnx'), OPTIONS)
  /** @param {string} text */
  return async (text) => {
    const ids = tokenize(text)
    const shape = [1, ids.length]
    const { vector } = await session.run({
      input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), shape),
      attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
    })
    if (vector?.data.length !== card.dimensions) throw new Error(`the model gave no vector of ${card.dimensions}`)
    return vector.data.slice()
  }
}

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
try {
  const encode = await open()
  // The first run makes what later ones use.
  await encode('')
  port.on('message', async (/** @type {string} */ text) => {
    try {
      const vector = await encode(text)
      port.postMessage({ vector }, [vector.buffer])
    } catch (error) {
      port.postMessage({ failure: String(error) })
    }
  })
  port.postMessage({ ready: true })
} catch (error) {
  port.postMessage({ missing: error instanceof Error ? error.message : String(error) })
}
