import { openFairSlots } from '../../base/fair-slots.ts'
import { type DocumentFile, type DocumentItem, Refusal } from '../document.ts'
import type { FromProcess, InnerFile } from './document-process.ts'
import { type ImportAllowance, openImportAllowance } from './import-allowance.ts'
import { openProcessPool, type PooledProcess } from './process-pool.ts'

/** Reads documents in child processes, so that no file can stall or crash the service or exhaust its memory. */
export interface DocumentReaders {
  /** Opens a reader for the files of one import of an account. */
  open(accountId: string): DocumentReader
  /** Kills all processes. */
  close(): void
}

/** Reads the files of one import, one after the other. */
export interface DocumentReader {
  /**
   * Reads the items of a file in batches. The next batch is read when the caller has consumed the previous one. Throws
   * a Refusal for a file that cannot be read. If a file exceeds the time or memory limit, its process is killed, and
   * the next file gets a new one. In an archive, only the inner file that was being read is left out.
   */
  read(file: DocumentFile): AsyncGenerator<DocumentItem>
}

export interface ReadingLimits {
  /** Maximum number of live processes. Each file that is being read has one. Idle processes wait for the next file. */
  processes: number
  /** Maximum number of working processes. A process that waits for a request does not count. */
  working: number
  /** Maximum resident memory of one process, in bytes. */
  residentBytes: number
  /** Maximum milliseconds until a process answers. */
  stepMs: number
}

const MIB = 1024 * 1024
const PROCESSES = 8
/** Memory limits of a process. The largest document needs `least`. If enough memory is available, `most` is used. */
const RESIDENT_BYTES = { least: 512 * MIB, most: 1024 * MIB }
const STEP_MS = 30_000

/** Returns the limits for a service with this memory limit. */
export function readingLimits(memoryBytes: number): ReadingLimits {
  const share = Math.max(RESIDENT_BYTES.least, Math.floor(memoryBytes / PROCESSES))
  const residentBytes = Math.min(RESIDENT_BYTES.most, share)
  return { processes: PROCESSES, working: PROCESSES / 2, residentBytes, stepMs: STEP_MS }
}

/** Maximum size of a file that is read as a document, in bytes. */
export const DOCUMENT_BYTES_MAX = 64 * MIB
/** Size of the chunks in which files are sent. Copying a whole file at once would delay requests. */
const CHUNK_BYTES = MIB
/** Maximum milliseconds for the start of a process. It must load its program, and the disk may be busy. */
const START_MS_MAX = 60_000

/** Opens readers. Their processes are started with the first file. */
export function openDocumentReaders(limits: ReadingLimits): DocumentReaders {
  const pool = openProcessPool(limits.processes, limits.residentBytes)
  const working = openFairSlots(limits.working)
  return {
    open: (accountId) => {
      const allowance = openImportAllowance()
      const withSlot = async <T>(work: () => Promise<T>): Promise<T> => {
        allowance.assert()
        const done = await working.take(accountId)
        const startedMs = performance.now()
        try {
          return await work()
        } finally {
          allowance.spend(performance.now() - startedMs)
          done()
        }
      }
      const take = () => pool.take(accountId)
      return { read: (file) => readWithRetry(file, { take, withSlot, allowance, stepMs: limits.stepMs }) }
    },
    close: pool.close,
  }
}

interface ReadContext {
  take(): Promise<PooledProcess>
  /** Runs work once the account gets a scheduler slot. */
  withSlot<T>(work: () => Promise<T>): Promise<T>
  allowance: ImportAllowance
  stepMs: number
}

/** Reads a file. If an inner file crashes the process, reads the file again without that inner file. */
async function* readWithRetry(file: DocumentFile, means: ReadContext): AsyncGenerator<DocumentItem> {
  if (file.bytes.length > DOCUMENT_BYTES_MAX) throw new Refusal('file_too_large')
  means.allowance.addFile(file.bytes.length)
  const failed: number[] = []
  for (;;) {
    const reading: Reading = { file, failed, entered: undefined, isCut: false }
    try {
      return yield* readOnce(reading, means)
    } catch (cause) {
      const { entered, isCut } = reading
      if (!(cause instanceof Refusal) || !isCut || !entered) throw cause
      failed.push(entered.number)
      yield { kind: 'left_out', within: entered.within, reason: cause.reason, detail: cause.detail }
    }
  }
}

/** One reading of a file by one process. */
interface Reading {
  readonly file: DocumentFile
  /** Numbers of the inner files that crashed an earlier process. */
  readonly failed: readonly number[]
  /** The inner file whose reading was started last. */
  entered: InnerFile | undefined
  /** True from the start of a step until its answer. It therefore stays true if the process ends. */
  isCut: boolean
}

async function* readOnce(reading: Reading, { take, withSlot, stepMs }: ReadContext): AsyncGenerator<DocumentItem> {
  const child = await take()
  let isDone = false
  try {
    let begin = () => sendFile(child, reading)
    while (!isDone) {
      const answer = await withSlot(async () => {
        reading.isCut = true
        await begin()
        const answered = await nextResult(child, reading, stepMs)
        reading.isCut = false
        return answered
      })
      if ('refusal' in answer) {
        isDone = true
        throw new Refusal(answer.refusal.reason, answer.refusal.detail)
      }
      isDone = answer.isLast
      yield* answer.items
      begin = () => child.send({ more: true })
    }
  } finally {
    child.release(isDone)
  }
}

/** Returns the next answer. Stores each inner file that the process starts to read before it. */
async function nextResult(child: PooledProcess, reading: Reading, stepMs: number) {
  for (;;) {
    const message: FromProcess = await child.next(stepMs)
    if ('entered' in message) reading.entered = message.entered
    else if (!('ready' in message)) return message
  }
}

async function sendFile(child: PooledProcess, { file: { name, type, bytes }, failed }: Reading): Promise<void> {
  await child.ready(START_MS_MAX)
  await child.send({ file: { name, type, size: bytes.length, failed } })
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    await child.send({ chunk: bytes.subarray(at, at + CHUNK_BYTES) })
}
