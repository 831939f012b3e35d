import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type DocumentFile, type DocumentItem, Refusal } from './document.ts'
import type { FromThread, ToThread } from './document-thread.ts'

/** Reads files of any kind in a thread of its own, one after the other, so that none of them can stall the service. */
export interface DocumentReader {
  /**
   * What a file comes to, a few items at once; the next are read when these are taken. Its bytes go to the thread, and
   * are gone here. Throws `Refusal`. The thread of a file that takes too long or too much is ended, and the next file
   * gets another.
   */
  read(file: DocumentFile): AsyncGenerator<DocumentItem>
  close(): Promise<void>
}

const THREAD = new URL(`./document-thread${extname(import.meta.url)}`, import.meta.url)
/** Between two answers of the thread. */
const ANSWER_MS_MAX = 30_000
const HEAP_MIB_MAX = 512
const STACK_MIB_MAX = 4

/** The largest file that is read as a document. */
export const DOCUMENT_BYTES_MAX = 64 * 1024 * 1024

/** Opens a reader; its thread begins with the first file. It works while it has a turn. */
export function openDocumentReader(takeTurn: TakeTurn, answerMsMax = ANSWER_MS_MAX): DocumentReader {
  let thread: Worker | undefined
  const end = async () => {
    const ended = thread
    thread = undefined
    await ended?.terminate()
  }
  const ask = async (message: ToThread): Promise<FromThread> => {
    const done = await takeTurn()
    thread ??= new Worker(THREAD, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB_MAX, stackSizeMb: STACK_MIB_MAX },
      // What a library prints says nothing to whoever runs the service.
      stdout: true,
      stderr: true,
    })
    return answerOf(thread, message, answerMsMax).finally(done)
  }
  return {
    read: async function* ({ name, type, bytes }) {
      if (bytes.length > DOCUMENT_BYTES_MAX) throw new Refusal('file_too_large')
      let isWhole = false
      try {
        let answer = await ask({ name, type, bytes })
        while ('items' in answer) {
          yield* answer.items
          isWhole = answer.isLast
          if (isWhole) return
          answer = await ask({ more: true })
        }
        isWhole = true
        throw new Refusal(answer.refusal.reason, answer.refusal.detail)
      } finally {
        // Who leaves in the middle of a file leaves a thread that waits to go on with it.
        if (!isWhole) await end()
      }
    },
    close: end,
  }
}

/** The next answer. Throws `Refusal` when it does not come in time, or the thread ends. */
function answerOf(thread: Worker, message: ToThread, msMax: number): Promise<FromThread> {
  return new Promise((resolve, reject) => {
    const settle = (settled: () => void) => {
      clearTimeout(timer)
      thread.off('message', take).off('error', fail).off('exit', fail)
      settled()
    }
    const take = (answer: FromThread) => settle(() => resolve(answer))
    const fail = () => settle(() => reject(new Refusal('took_too_much')))
    const timer = setTimeout(() => settle(() => reject(new Refusal('took_too_long'))), msMax)
    thread.on('message', take).on('error', fail).on('exit', fail)
    // Copied, millions of bytes would hold up everybody.
    thread.postMessage(message, 'bytes' in message ? [message.bytes.buffer as ArrayBuffer] : [])
  })
}

/** Waits for a turn; what is given ends it. */
export type TakeTurn = () => Promise<() => void>

/** Threads of one process that read at once. */
const AT_ONCE_MAX = 4

/** Turns in the order in which they are asked for: each is for some pages or rows, so that none waits long. */
export function openReadingTurns(atOnceMax = AT_ONCE_MAX): TakeTurn {
  const waiting: (() => void)[] = []
  let taken = 0
  const end = () => {
    const next = waiting.shift()
    if (next) next()
    else taken -= 1
  }
  return async () => {
    if (taken < atOnceMax) taken += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    let isOver = false
    return () => {
      if (!isOver) end()
      isOver = true
    }
  }
}
