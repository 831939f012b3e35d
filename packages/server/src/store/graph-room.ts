import { getHeapStatistics } from 'node:v8'
import { Fault } from '../base/fault.ts'
import type { KnowledgeCounts } from './port.ts'

/** What may be added to a sandbox: records, and bytes of their content. */
export interface Growth {
  readonly records: number
  readonly bytes: number
}

/** What tells graphs that fit in memory from those that do not. */
export interface GraphRoom {
  /** Throws `sandbox_too_large` when the graph of a sandbox was found not to fit a short while ago. */
  assertKnownToFit(sandboxId: string): void
  /** Throws `sandbox_too_large` when not even the tables of so many rows would fit. */
  assertRowsFit(sandboxId: string, rows: Pick<KnowledgeCounts, 'records' | 'entities'>): void
  /** Throws `sandbox_too_large` when a graph of this size is more than one may take. */
  assertFits(sandboxId: string, bytes: number): void
  /** Remembers that a graph counts no more records, and answers the fault that says so. */
  refuseFull(sandboxId: string): Fault
  /** What may be added to a graph: one that nearly fills the memory, or its numbers, can be asked and made smaller. */
  roomBeside(bytes: number, placesLeft?: number): Growth
  /** Forgets what was found of a sandbox. */
  forget(sandboxId: string): void
  /** How often a graph was found not to fit. */
  readonly refusals: number
}

/** What the tables of a graph take for each row at the least, however little it says. */
const ROW_BYTES = { records: 128, entities: 64 } as const
/** A graph grows up to this share: the rest is for what a record takes more than most do. */
const GROWTH_SHARE = 7 / 8
/** What a record takes at most where it is short, and what each byte of its content does. */
const RECORD_GROWTH_BYTES = 1_024
const GROWTH_PER_CONTENT_BYTE = 8
/** Less room than this is none; a commit of long texts takes some hundred thousand places. */
const GROWTH_BYTES_MIN = 16 * 1_024
const PLACES_MIN = 2 ** 20
/** What is nearly all of the heap: a process that fills it ends. */
const HEAP_SHARE = 0.95
/** A graph that does not fit is not tried again for so long: each try takes as long as building what does fit. */
const REFUSED_MS = 10 * 60_000
/** Sandboxes of which that is remembered. */
const REMEMBERED_MAX = 10_000

/** Room for graphs of which one alone may take `bytesMax`. */
export function createGraphRoom(bytesMax: number, heap = heapShare): GraphRoom {
  const refused = new Map<string, number>()
  let refusals = 0
  const refuse = (sandboxId: string, note: string): Fault => {
    refusals += 1
    refused.delete(sandboxId)
    refused.set(sandboxId, performance.now() + REFUSED_MS)
    if (refused.size > REMEMBERED_MAX) refused.delete(refused.keys().next().value as string)
    return new Fault('sandbox_too_large', { note })
  }
  return {
    assertKnownToFit: (sandboxId) => {
      const untilMs = refused.get(sandboxId)
      if (untilMs === undefined) return
      if (performance.now() < untilMs) throw new Fault('sandbox_too_large')
      refused.delete(sandboxId)
    },
    assertRowsFit: (sandboxId, rows) => {
      const least = rows.records * ROW_BYTES.records + rows.entities * ROW_BYTES.entities
      if (least > bytesMax) throw refuse(sandboxId, `a graph takes ${least} bytes at least, of ${bytesMax}`)
    },
    assertFits: (sandboxId, bytes) => {
      if (bytes > bytesMax) throw refuse(sandboxId, `a graph takes more than the ${bytesMax} bytes of all graphs`)
      if (heap() > HEAP_SHARE) throw refuse(sandboxId, 'the heap of the process is nearly full')
    },
    refuseFull: (sandboxId) => refuse(sandboxId, 'a graph counts no more records'),
    roomBeside: (bytes, placesLeft = Number.POSITIVE_INFINITY) => {
      const left = bytesMax * GROWTH_SHARE - bytes
      if (left < GROWTH_BYTES_MIN || placesLeft < PLACES_MIN) return { records: 0, bytes: 0 }
      return {
        records: Math.floor(left / RECORD_GROWTH_BYTES),
        bytes: Math.floor(left / GROWTH_PER_CONTENT_BYTE),
      }
    },
    forget: (sandboxId) => void refused.delete(sandboxId),
    get refusals() {
      return refusals
    },
  }
}

/** How much of the heap is in use, of all that it may have. */
function heapShare(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
  return used / limit
}
