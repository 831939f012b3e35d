import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { createRecordGraph, type GraphImage, type RecordGraph } from '@cairnstore/engine/rank'
import { type ImagePatch, patched } from './image-patch.ts'

/** The graph methods that threads run. They read very many records and change nothing. */
export const ASKED = ['rank', 'rankPinned', 'nearest'] as const
export type RankMethod = (typeof ASKED)[number]

/** Messages to a thread about a graph: its new state, a question, or its removal or cache reset. */
export type ToThread = { graph: number } & (
  | { patch: ImagePatch }
  | { ask: RankMethod; args: readonly unknown[] }
  | { isGone: boolean }
)
/** Reply to a question, with the bytes of the thread's own working arrays for the graph. */
type Answer = { workingBytes: number } & ({ answer: unknown } | { error: string })
/** Messages from a thread: one when it is ready, then one per question. */
export type FromThread = { isReady: true } | Answer

interface HeldGraph {
  readonly graph: RecordGraph
  image: GraphImage
}

const port = parentPort as MessagePort
const held = new Map<number, HeldGraph>()

port.on('message', (message: ToThread) => {
  const known = held.get(message.graph)
  if ('patch' in message) take(message.graph, message.patch)
  else if ('ask' in message) port.postMessage(answer(known, message))
  else if (message.isGone) forget(message.graph)
  else known?.graph.rest()
})

// V8 exposes `gc` to contexts that are created after this flag.
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/**
 * Frees the arrays of a graph immediately. Otherwise a long idle time may pass, and V8 does not count shared memory.
 */
function forget(number: number): void {
  held.delete(number)
  collectGarbage()
}

function take(number: number, patch: ImagePatch): void {
  const known = held.get(number)
  const image = patched(known?.image, patch)
  if (known === undefined) {
    held.set(number, { graph: createRecordGraph(image), image })
    return
  }
  known.graph.become(image)
  known.image = image
}

function answer(known: HeldGraph | undefined, { ask, args }: Extract<ToThread, { ask: RankMethod }>): Answer {
  try {
    const { graph } = known as HeldGraph
    const found = (graph[ask] as (...given: readonly unknown[]) => unknown)(...args)
    return { answer: found, workingBytes: graph.workingBytes }
  } catch (error) {
    return { error: String(error), workingBytes: known?.graph.workingBytes ?? 0 }
  }
}

port.postMessage({ isReady: true } satisfies FromThread)
