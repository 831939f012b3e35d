import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { DocumentItem, RefusalReason } from '../document.ts'
import { Refusal } from '../document.ts'
import { readDocument } from '../read-document.ts'
import { type EnterFile, openBounds } from '../reading-bounds.ts'

/**
 * A message to the process: a file to read, a chunk of its bytes, or a request for more items. `failed` lists the inner
 * files that crashed an earlier process. They are skipped, and so is everything before the last of them.
 */
export type ToProcess =
  | { file: { name: string; type: string | undefined; size: number; failed: readonly number[] } }
  | { chunk: Uint8Array }
  | { more: true }
/**
 * A message from the process: it is ready, starts reading an inner file, sends items, or refuses the file. `isLast` is
 * true for the last items of the file.
 */
export type FromProcess =
  | { ready: true }
  | { entered: InnerFile }
  | { items: DocumentItem[]; isLast: boolean }
  | { refusal: { reason: RefusalReason; detail: string } }

/** A file inside the file that is read. Inner files are numbered from 1 in reading order. */
export interface InnerFile {
  number: number
  within: readonly string[]
}

/** Start parameters of the memory guard. */
export interface GuardData {
  residentBytesMax: number
  parentPid: number
}

/** Maximum numbers of items and characters in a batch. The service can handle such a batch quickly. */
const ITEMS_MAX = 200
const CHARS_MAX = 400_000
/** Maximum number of characters of an item. A longer item is left out, because it exceeds the limit for records. */
const ITEM_CHARS_MAX = 2_000_000
const TOO_LONG = 'A row, value or entry of the file is longer than a record may be; split it, or send its text.'

let resume: () => void = () => undefined
let incoming: { bytes: Buffer; at: number; begin(): void } | undefined

function take(message: ToProcess): void {
  if ('more' in message) resume()
  else if ('chunk' in message) {
    if (!incoming) return
    incoming.bytes.set(message.chunk, incoming.at)
    incoming.at += message.chunk.length
  } else {
    const { file } = message
    const bytes = Buffer.alloc(file.size)
    incoming = { bytes, at: 0, begin: () => begin({ ...file, bytes }) }
  }
  if (!incoming || incoming.at < incoming.bytes.length) return
  const { begin: go } = incoming
  incoming = undefined
  go()
}

interface IncomingFile {
  name: string
  type: string | undefined
  bytes: Uint8Array
  failed: readonly number[]
}

function begin(file: IncomingFile): void {
  read(file).catch((cause: unknown) => {
    const { reason, detail } = cause instanceof Refusal ? cause : new Refusal('file_damaged')
    send({ refusal: { reason, detail } })
  })
}

function send(message: FromProcess): void {
  process.send?.(message)
}

async function read({ failed, ...file }: IncomingFile): Promise<void> {
  let items: DocumentItem[] = []
  let chars = 0
  const bounds = openBounds(file.bytes.length)
  const flush = async () => {
    const requested = new Promise<void>((resolve) => (resume = resolve))
    send({ items, isLast: false })
    await requested
    items = []
    chars = 0
  }
  const nextAction = actionsAfter(failed)
  const enter: EnterFile = async (within) => {
    const { action, number } = nextAction()
    if (action !== 'read') return action
    // Sends the items before the inner file, because they would be lost if it crashes the process.
    if (items.length > 0) await flush()
    send({ entered: { number, within } })
    return action
  }
  for await (const read of readDocument(file, { ...bounds, enter })) {
    // When a file is read again, the service already has its head.
    if (failed.length > 0 && read.kind === 'head' && read.within.length === 0) continue
    const size = charsOf(read)
    bounds.count(size)
    const item: DocumentItem =
      size > ITEM_CHARS_MAX ? { kind: 'left_out', within: [], reason: 'took_too_much', detail: TOO_LONG } : read
    items.push(item)
    chars += size
    if (items.length >= ITEMS_MAX || chars >= CHARS_MAX || item.kind === 'coming') await flush()
  }
  send({ items, isLast: true })
}

/** Numbers the inner files. Skips those that failed. Descends only into those that an earlier process has read. */
function actionsAfter(failed: readonly number[]): () => { number: number; action: Awaited<ReturnType<EnterFile>> } {
  const last = Math.max(0, ...failed)
  let number = 0
  return () => {
    number += 1
    return { number, action: failed.includes(number) ? 'pass' : number < last ? 'descend' : 'read' }
  }
}

function charsOf(item: DocumentItem): number {
  if (item.kind === 'part') return item.text.length
  if (item.kind === 'row')
    return item.cells.reduce((sum, [column, value]) => sum + column.length + String(value).length, 0)
  return JSON.stringify(item).length
}

/** Makes the kernel kill this process before any other one when memory runs out. */
function preferOomKill(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // This file exists only on Linux.
  }
}

/** Starts serving. Ignores signals to the process group: the parent handles them and lets the file finish. */
async function serve(residentBytesMax: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
  process.on('disconnect', () => process.exit())
  preferOomKill()
  const workerData: GuardData = { residentBytesMax, parentPid: process.ppid }
  const guard = new Worker(new URL(`./memory-guard${extname(import.meta.url)}`, import.meta.url), { workerData })
  await once(guard, 'online')
  process.on('message', take)
  send({ ready: true })
}

await serve(Number(process.argv[2]))
