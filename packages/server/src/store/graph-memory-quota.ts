import { getHeapStatistics } from 'node:v8'
import { Fault } from '../base/fault.ts'
import type { KnowledgeCounts } from './port.ts'

/** Number of records, and bytes of content, that may be added to a sandbox. */
export interface Growth {
  readonly records: number
  readonly bytes: number
}

export type GraphMemoryQuota = ReturnType<typeof createGraphMemoryQuota>

/** Minimum bytes that the graph's tables use per row. */
const ROW_BYTES = { records: 128, entities: 64 } as const
/** Fraction of the quota up to which a graph may grow. The rest is for records that use more than the average. */
const GROWTH_SHARE = 7 / 8
/** Upper bounds of graph bytes for a short record, and for each byte of its content. */
const RECORD_GROWTH_BYTES = 1_024
const GROWTH_PER_CONTENT_BYTE = 8
/** With less left, nothing may be added. A commit of long texts uses hundreds of thousands of document ordinals. */
const GROWTH_BYTES_MIN = 16 * 1_024
const DOC_IDS_MIN = 2 ** 20
/** Fraction of the heap that counts as full. A process with a full heap crashes. */
const HEAP_SHARE = 0.95
/** Milliseconds before a graph that did not fit is tried again. Each attempt takes as long as a successful build. */
const REFUSED_MS = 10 * 60_000
/** Maximum number of remembered sandboxes that did not fit. */
const REMEMBERED_MAX = 10_000

/** Creates the memory quota. One graph may use `bytesMax` bytes. */
export function createGraphMemoryQuota(bytesMax: number, heap = heapShare) {
  const refused = new Map<string, number>()
  let refusals = 0
  const rejectSandbox = (sandboxId: string, note: string): Fault => {
    refusals += 1
    refused.delete(sandboxId)
    refused.set(sandboxId, performance.now() + REFUSED_MS)
    if (refused.size > REMEMBERED_MAX) refused.delete(refused.keys().next().value as string)
    return new Fault('sandbox_too_large', { note })
  }
  return {
    /** Throws `sandbox_too_large` if the sandbox's graph was recently found not to fit in memory. */
    assertKnownToFit: (sandboxId: string) => {
      const untilMs = refused.get(sandboxId)
      if (untilMs === undefined) return
      if (performance.now() < untilMs) throw new Fault('sandbox_too_large')
      refused.delete(sandboxId)
    },
    /** Throws `sandbox_too_large` if the minimum size of the tables for these rows exceeds the quota. */
    assertRowsFit: (sandboxId: string, rows: Pick<KnowledgeCounts, 'records' | 'entities'>) => {
      const bytesMin = rows.records * ROW_BYTES.records + rows.entities * ROW_BYTES.entities
      if (bytesMin > bytesMax)
        throw rejectSandbox(sandboxId, `the index needs at least ${bytesMin} bytes, but only ${bytesMax} are allowed`)
    },
    /** Throws `sandbox_too_large` if a graph of this size exceeds the quota. */
    assertFits: (sandboxId: string, bytes: number) => {
      if (bytes > bytesMax)
        throw rejectSandbox(sandboxId, `the index needs more than the ${bytesMax} bytes allowed for all indexes`)
      if (heap() > HEAP_SHARE) throw rejectSandbox(sandboxId, 'the heap of the process is nearly full')
    },
    /** Notes that a graph has no free document ordinals, and returns the fault to throw. */
    rejectFull: (sandboxId: string) => rejectSandbox(sandboxId, 'the index has reached its maximum number of records'),
    /** Returns how much may be added to a graph of this many bytes. A full graph can still be queried. */
    growthLeft: (bytes: number, docIdsLeft: number = Number.POSITIVE_INFINITY) => {
      const left = bytesMax * GROWTH_SHARE - bytes
      if (left < GROWTH_BYTES_MIN || docIdsLeft < DOC_IDS_MIN) return { records: 0, bytes: 0 }
      return {
        records: Math.floor(left / RECORD_GROWTH_BYTES),
        bytes: Math.floor(left / GROWTH_PER_CONTENT_BYTE),
      }
    },
    /** Forgets that a sandbox did not fit. */
    forget: (sandboxId: string) => void refused.delete(sandboxId),
    /** Number of times that a graph did not fit. */
    get refusals() {
      return refusals
    },
  }
}

/** Returns the used fraction of the heap limit. */
function heapShare(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
  return used / limit
}
