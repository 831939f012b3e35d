import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { createRecordGraph, type GraphImage, type RecordGraph } from '@cairnstore/engine/rank'
import { type ImagePatch, patched } from './image-patch.ts'

/** What of a graph a thread is asked for: what reads very many of its records, and changes nothing. */
export const ASKED = ['rank', 'rankPinned', 'nearest'] as const
export type RankMethod = (typeof ASKED)[number]

/** What a thread is told of a graph: how it is now, what is asked of it, or that it may go, or what was worked out. */
export type ToThread = { graph: number } & (
  | { patch: ImagePatch }
  | { ask: RankMethod; args: readonly unknown[] }
  | { isGone: boolean }
)
/** What it answers each question, with the bytes that its own working arrays for the graph take. */
type Answer = { workingBytes: number } & ({ answer: unknown } | { error: string })
/** It tells once that it can be asked, and then answers each question. */
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

// The engine offers it to contexts that begin after this flag.
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Lets go of the arrays of a graph now: nothing else may happen here for long, and the engine does not count them. */
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
