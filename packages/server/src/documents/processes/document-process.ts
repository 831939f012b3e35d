import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { DocumentItem, RefusalReason } from '../document.ts'
import { Refusal } from '../document.ts'
import { readDocument } from '../read-document.ts'
import { type Follow, openBounds } from '../reading-bounds.ts'

/**
 * A message to the process: a file to read, whose bytes follow in pieces, or the request for more items. Of a file
 * that was read before, the files in it that failed are passed over, and so is what was read before the last of them.
 */
export type ToProcess =
  | { file: { name: string; type: string | undefined; size: number; failed: readonly number[] } }
  | { piece: Uint8Array }
  | { more: true }
/**
 * A message from the process: that it is ready, that it begins to read the nth file within the file, items, or the
 * reason why there are none. `isLast` ends the file.
 */
export type FromProcess =
  | { ready: true }
  | { entered: InnerFile }
  | { items: DocumentItem[]; isLast: boolean }
  | { refusal: { reason: RefusalReason; detail: string } }

/** A file within the file that is read, counted from 1 in the order of reading. */
export interface InnerFile {
  number: number
  within: readonly string[]
}

/** What the guard of the process is started with. */
export interface Guarded {
  residentBytesMax: number
  parentPid: number
}

/** Items that are sent at once, and characters of them: the service takes them in a moment. */
const ITEMS_MAX = 200
const CHARS_MAX = 400_000
/** The longest item: no record is longer than this, so the service need not read it. */
const ITEM_CHARS_MAX = 2_000_000
const TOO_LONG = 'A row, value or entry of the file is longer than a record may be; split it, or send its text.'

let goOn: () => void = () => undefined
let coming: { bytes: Buffer; at: number; begin(): void } | undefined

function take(message: ToProcess): void {
  if ('more' in message) goOn()
  else if ('piece' in message) {
    if (!coming) return
    coming.bytes.set(message.piece, coming.at)
    coming.at += message.piece.length
  } else {
    const { file } = message
    const bytes = Buffer.alloc(file.size)
    coming = { bytes, at: 0, begin: () => begin({ ...file, bytes }) }
  }
  if (!coming || coming.at < coming.bytes.length) return
  const { begin: go } = coming
  coming = undefined
  go()
}

interface ComingFile {
  name: string
  type: string | undefined
  bytes: Uint8Array
  failed: readonly number[]
}

function begin(file: ComingFile): void {
  read(file).catch((cause: unknown) => {
    const { reason, detail } = cause instanceof Refusal ? cause : new Refusal('file_damaged')
    tell({ refusal: { reason, detail } })
  })
}

function tell(message: FromProcess): void {
  process.send?.(message)
}

async function read({ failed, ...file }: ComingFile): Promise<void> {
  let items: DocumentItem[] = []
  let chars = 0
  const bounds = openBounds(file.bytes.length)
  const give = async () => {
    const isAskedFor = new Promise<void>((resolve) => (goOn = resolve))
    tell({ items, isLast: false })
    await isAskedFor
    items = []
    chars = 0
  }
  const follow = followFrom(failed)
  const enter: Follow = async (within) => {
    const { turn, number } = follow()
    if (turn !== 'read') return turn
    // What was read before the file must not be lost with it.
    if (items.length > 0) await give()
    tell({ entered: { number, within } })
    return turn
  }
  for await (const read of readDocument(file, { ...bounds, enter })) {
    // The service has the head of a file that is read once more.
    if (failed.length > 0 && read.kind === 'head' && read.within.length === 0) continue
    const size = charsOf(read)
    bounds.count(size)
    const item: DocumentItem =
      size > ITEM_CHARS_MAX ? { kind: 'left_out', within: [], reason: 'took_too_much', detail: TOO_LONG } : read
    items.push(item)
    chars += size
    if (items.length >= ITEMS_MAX || chars >= CHARS_MAX || item.kind === 'coming') await give()
  }
  tell({ items, isLast: true })
}

/** Numbers the files within a file, and passes over what an earlier reading has read or failed at. */
function followFrom(failed: readonly number[]): () => { number: number; turn: Awaited<ReturnType<Follow>> } {
  const last = Math.max(0, ...failed)
  let number = 0
  return () => {
    number += 1
    return { number, turn: failed.includes(number) ? 'pass' : number < last ? 'descend' : 'read' }
  }
}

function charsOf(item: DocumentItem): number {
  if (item.kind === 'part') return item.text.length
  if (item.kind === 'row')
    return item.cells.reduce((sum, [column, value]) => sum + column.length + String(value).length, 0)
  return JSON.stringify(item).length
}

/** Makes the kernel end this process before any other when memory runs out. */
function volunteer(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Only Linux has it.
  }
}

/** Begins to serve. Signals for the whole group are the parent's to answer: it finishes what it reads. */
async function serve(residentBytesMax: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
  process.on('disconnect', () => process.exit())
  volunteer()
  const workerData: Guarded = { residentBytesMax, parentPid: process.ppid }
  const guard = new Worker(new URL(`./memory-guard${extname(import.meta.url)}`, import.meta.url), { workerData })
  await once(guard, 'online')
  process.on('message', take)
  tell({ ready: true })
}

await serve(Number(process.argv[2]))
