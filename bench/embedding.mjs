// Compares how fast records are embedded with the bare runtime: the same texts, tokens and model file, in one run. The
// bare runtime has a thread per core, each with one session and one text at a time, and does nothing else. It runs
// before and after the product, so that a change of the machine's load shows.
// Usage: npm run bench:embedding [-- RECORDS]
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, constants, loadavg, setPriority } from 'node:os'
import { join } from 'node:path'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { client, makeSandbox, startCairn, waitForJob } from './cairn-process.mjs'
import { createTokenizer, ENCODER_ENTRY, ENCODER_SIZES, MODEL_FOLDER, readModelCard, vectorTexts } from './product.mjs'
import { openWorkload } from './workload.mjs'

const RECORDS = Number(process.argv[2] ?? 2_000)
const THREADS = Math.min(2, availableParallelism())
const TEXT_CHARS_MAX = 2_000
const LOOK_MS = 100
const MS_PER_SECOND = 1_000

if (isMainThread) await measure()
else await embedHere()

async function measure() {
  const workload = openWorkload()
  const records = Array.from({ length: RECORDS }, (_, number) => workload.record(number))
  const texts = records.flatMap((record) => vectorTexts(record, TEXT_CHARS_MAX, ENCODER_SIZES))
  const before = await bare(texts)
  const product = await embedded(records)
  const after = await bare(texts)
  const floor = (before + after) / 2
  const rate = texts.length / product.seconds
  console.log(`${RECORDS} records, ${texts.length} texts; load of the machine ${loadavg().join(' ')}`)
  const [first, last] = [before, after].map((each) => each.toFixed(1))
  console.log(`bare runtime on ${THREADS} cores: ${first} texts per second before, ${last} after`)
  console.log(`records embedded: ${rate.toFixed(1)} texts per second; first vector after ${product.first.toFixed(2)} s`)
  console.log(`ratio to the bare runtime: ${(rate / floor).toFixed(2)} (from .8 on is right)`)
  if (rate / floor < 0.8) process.exitCode = 1
}

/** Returns the texts per second of the bare runtime, without the time to load the model. @param {string[]} texts */
async function bare(texts) {
  const threads = await Promise.all(
    Array.from({ length: THREADS }, async (_, at) => {
      const own = texts.filter((_text, number) => number % THREADS === at)
      const thread = new Worker(new URL(import.meta.url), { workerData: own, argv: process.argv.slice(2) })
      await new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject))
      return thread
    }),
  )
  const from = performance.now()
  await Promise.all(
    threads.map((thread) => {
      const done = new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject))
      thread.postMessage('go')
      return done
    }),
  )
  const seconds = (performance.now() - from) / MS_PER_SECOND
  await Promise.all(threads.map((thread) => thread.terminate()))
  return texts.length / seconds
}

/** Embeds the texts of this thread when the main thread says so. */
async function embedHere() {
  const { InferenceSession, Tensor } = createRequire(ENCODER_ENTRY)('onnxruntime-node')
  const card = readModelCard(MODEL_FOLDER)
  const tokenize = createTokenizer(readFileSync(join(MODEL_FOLDER, 'vocab.txt'), 'utf8'), card.tokensMax)
  const options = { executionProviders: ['cpu'], intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 }
  const session = await InferenceSession.create(readFileSync(join(MODEL_FOLDER, 'model.onnx')), options)
  const inputs = /** @type {string[]} */ (workerData).map((text) => tokenize(text).ids)
  const run = async (/** @type {readonly number[]} */ ids) => {
    const shape = [1, ids.length]
    const mask = new BigInt64Array(ids.length).fill(1n)
    await session.run(
      {
        input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), shape),
        attention_mask: new Tensor('int64', mask, shape),
      },
      ['vector'],
    )
  }
  await run(inputs[0] ?? [])
  // The priority of the encoder's background threads, so that other load slows both equally.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  parentPort?.once('message', async () => {
    for (const ids of inputs) await run(ids)
    parentPort?.postMessage('done')
  })
  parentPort?.postMessage('ready')
}

/**
 * Returns the seconds from the start of the ingest until all records are embedded, and until the first ones are.
 * @param {object[]} records
 */
async function embedded(records) {
  const cairn = await startCairn({ env: { CAIRN_ENCODER: 'on' } })
  try {
    const call = client(cairn)
    const sandbox = await makeSandbox(call, 'embedding')
    const from = performance.now()
    const since = () => (performance.now() - from) / MS_PER_SECOND
    const lines = records.map((record) => JSON.stringify(record))
    const { job_id: jobId } = await call('POST', sandbox.records, lines.join('\n'))
    await waitForJob(call, sandbox.storage, jobId)
    let first = 0
    for (let left = records.length; left !== 0; await new Promise((resolve) => setTimeout(resolve, LOOK_MS))) {
      left = (await call('GET', `${sandbox.storage}/usage`)).reading.waiting
      if (first === 0 && left < records.length) first = since()
    }
    return { seconds: since(), first }
  } finally {
    await cairn.stop()
  }
}
