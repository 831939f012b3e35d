import type { Decision } from '@cairnstore/engine/resolve'
import type { Chunk, WaitingRecord } from './inbox.ts'
import type { ReceivingSource } from './receiving-source.ts'

/** Records that go to one source, or what people decided of the things of those before. */
export interface SourceChunk {
  source: ReceivingSource | null
  records: WaitingRecord[]
  decisions?: Decision[]
}

/** What has come of a delivery and is not stored yet. */
export interface Pending {
  readonly records: number
  /** Records and decisions. */
  readonly count: number
  /** No more is to come before it is stored. */
  readonly isFull: boolean
  add(source: ReceivingSource | null, record: WaitingRecord): void
  decide(decision: Decision): void
  /** All of it; decisions last, since rows of the inbox are applied in order and they are on what came before. */
  chunks(): SourceChunk[]
}

/** Records of one inbox row: what a transaction stores at once and a turn of the applier takes at least. */
export const CHUNK_RECORDS_MAX = 500
/** Bytes of one inbox row, so that storing it never blocks the database for long. */
const CHUNK_BYTES_MAX = 1024 * 1024

/** Nothing yet. */
export function createPending(): Pending {
  const bySource = new Map<string | null, SourceChunk>()
  const decisions: Decision[] = []
  let records = 0
  let bytes = 0
  return {
    get records() {
      return records
    },
    get count() {
      return records + decisions.length
    },
    get isFull() {
      return records + decisions.length >= CHUNK_RECORDS_MAX || bytes >= CHUNK_BYTES_MAX
    },
    add: (source, record) => {
      const chunk = bySource.get(source?.id ?? null) ?? { source, records: [] }
      bySource.set(source?.id ?? null, chunk)
      chunk.records.push(record)
      records += 1
      bytes += (record.content.text?.length ?? 0) + (record.content.title?.length ?? 0)
    },
    decide: (decision) => {
      decisions.push(decision)
      bytes += JSON.stringify(decision).length
    },
    chunks: () => [...bySource.values(), ...(decisions.length > 0 ? [{ source: null, records: [], decisions }] : [])],
  }
}

/** The chunk as the inbox keeps it, for a caller who may be limited to the project `within`. */
export function chunkFor(within: string | null, { source, records, decisions }: SourceChunk): Chunk {
  const provider = source?.provider ?? ''
  return { provider, records, ...(decisions && { decisions }), ...(within !== null && { within }) }
}
