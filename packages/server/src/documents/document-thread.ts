import { type MessagePort, parentPort } from 'node:worker_threads'
import type { DocumentItem, RefusalReason } from './document.ts'
import { Refusal } from './document.ts'
import { readDocument } from './read-document.ts'

/** What the thread is told: to read a file, or to go on with it. */
export type ToThread = { name: string; type: string | undefined; bytes: Uint8Array } | { more: true }
/** What it answers: items, or why there are none. `isLast` ends the file. */
export type FromThread =
  | { items: DocumentItem[]; isLast: boolean }
  | { refusal: { reason: RefusalReason; detail: string } }

/** Items that are given at once, and characters of them: whoever takes them is busy for a moment only. */
const ITEMS_MAX = 200
const CHARS_MAX = 400_000

const port = parentPort as MessagePort
let goOn: () => void = () => undefined

port.on('message', (message: ToThread) => {
  if ('more' in message) return goOn()
  void read(message).catch((cause: unknown) => {
    const { reason, detail } = cause instanceof Refusal ? cause : new Refusal('file_damaged')
    port.postMessage({ refusal: { reason, detail } } satisfies FromThread)
  })
})

async function read(file: Exclude<ToThread, { more: true }>): Promise<void> {
  let items: DocumentItem[] = []
  let chars = 0
  for await (const item of readDocument(file)) {
    items.push(item)
    chars += charsOf(item)
    if (items.length < ITEMS_MAX && chars < CHARS_MAX && item.kind !== 'coming') continue
    const isAskedFor = new Promise<void>((resolve) => (goOn = resolve))
    port.postMessage({ items, isLast: false } satisfies FromThread)
    await isAskedFor
    items = []
    chars = 0
  }
  port.postMessage({ items, isLast: true } satisfies FromThread)
}

function charsOf(item: DocumentItem): number {
  if (item.kind === 'part') return item.text.length
  if (item.kind === 'row')
    return item.cells.reduce((sum, [column, value]) => sum + column.length + String(value).length, 0)
  return item.kind === 'value' ? JSON.stringify(item.value).length : 0
}
