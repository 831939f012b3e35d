import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { createRecordGraph, type GraphSnapshot, type RecordGraph } from '@cairnstore/engine/rank'
import { applyPatch, type SnapshotPatch } from './snapshot-patch.ts'

/** The graph methods that threads run. They read many records and change nothing. */
export type RankMethod = 'rank' | 'rankPinned' | 'nearest'

/** Messages to a thread about a graph: its new state, a question, its removal (`isGone`) or a cache reset. */
export type ThreadRequest = { graph: number } & (
  | { patch: SnapshotPatch }
  | { ask: RankMethod; args: readonly unknown[] }
  | { isGone: boolean }
)
/** Reply to a question, with the bytes of the thread's own working arrays for the graph. */
type Answer = { workingBytes: number } & ({ answer: unknown } | { error: string })
/** Messages from a thread: one when it is ready, then one per question. */
export type ThreadReply = { isReady: true } | Answer

interface ThreadGraph {
  readonly graph: RecordGraph
  image: GraphSnapshot
}

const port = parentPort as MessagePort
const graphs = new Map<number, ThreadGraph>()

port.on('message', (message: ThreadRequest) => {
  const known = graphs.get(message.graph)
  if ('patch' in message) applyUpdate(message.graph, message.patch)
  else if ('ask' in message) port.postMessage(runMethod(known, message))
  else if (message.isGone) dropGraph(message.graph)
  else known?.graph.clearCaches()
})

// V8 exposes `gc` to contexts that are created after this flag.
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Drops a graph. Collects garbage at once, because V8 does not count shared memory. */
function dropGraph(number: number): void {
  graphs.delete(number)
  collectGarbage()
}

function applyUpdate(number: number, patch: SnapshotPatch): void {
  const known = graphs.get(number)
  const image = applyPatch(known?.image, patch)
  if (known === undefined) {
    graphs.set(number, { graph: createRecordGraph(image), image })
    return
  }
  known.graph.load(image)
  known.image = image
}

function runMethod(
  current: ThreadGraph | undefined,
  { ask, args }: Extract<ThreadRequest, { ask: RankMethod }>,
): Answer {
  try {
    const { graph } = current as ThreadGraph
    const found = (graph[ask] as (...given: readonly unknown[]) => unknown)(...args)
    return { answer: found, workingBytes: graph.workingBytes }
  } catch (error) {
    return { error: String(error), workingBytes: current?.graph.workingBytes ?? 0 }
  }
}

port.postMessage({ isReady: true } satisfies ThreadReply)
