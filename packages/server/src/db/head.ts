import type { Row } from './tables.ts'

/** The columns of a head row that name what is committed. */
export type HeadRow = Pick<
  Row<'sandbox_head'>,
  | 'records_version'
  | 'entities_version'
  | 'links_version'
  | 'vectors_version'
  | 'seq'
  | 'floor_seq'
  | 'key_epoch'
  | 'graph_image'
>

/** The committed versions that a head row names. */
export function headOf(row: HeadRow): Head {
  return {
    recordsVersion: row.records_version,
    entitiesVersion: row.entities_version,
    linksVersion: row.links_version,
    vectorsVersion: row.vectors_version,
    seq: row.seq,
    floorSeq: row.floor_seq,
    keyEpoch: row.key_epoch,
    graphImage: row.graph_image,
  }
}

/** What a head row says of the datasets, and of how far the changes in them go. */
export function committedColumns(head: Head) {
  return {
    records_version: head.recordsVersion,
    entities_version: head.entitiesVersion,
    links_version: head.linksVersion,
    vectors_version: head.vectorsVersion,
    seq: head.seq,
    floor_seq: head.floorSeq,
  }
}

/** The version of each dataset of a sandbox that is committed; a version of 0 means that there is no dataset yet. */
export interface Head {
  /** Opaque: generation and Lance version in one safe integer (see `sandbox-folder.ts`). */
  readonly recordsVersion: number
  readonly entitiesVersion: number
  readonly linksVersion: number
  readonly vectorsVersion: number
  /** Number of the last commit. */
  readonly seq: number
  /** An index built up to a smaller seq must be rebuilt: tombstones up to here are gone. */
  readonly floorSeq: number
  /** Under which of its caller's keys everything is sealed, counted from 1; null where there is none. */
  readonly keyEpoch: number | null
  /** The name of the file that holds the graph as it was at some commit; null where there is none. */
  readonly graphImage: string | null
}

/** The head of a sandbox that holds nothing. */
export const EMPTY_HEAD: Head = {
  recordsVersion: 0,
  entitiesVersion: 0,
  linksVersion: 0,
  vectorsVersion: 0,
  seq: 0,
  floorSeq: 0,
  keyEpoch: null,
  graphImage: null,
}

/** Whether a head says more than another, or that what it says lies elsewhere. */
export function isNewer(head: Head, than: Head): boolean {
  return (
    head.seq > than.seq ||
    (head.seq === than.seq &&
      (head.recordsVersion > than.recordsVersion ||
        head.entitiesVersion > than.entitiesVersion ||
        head.linksVersion > than.linksVersion ||
        head.vectorsVersion > than.vectorsVersion ||
        // A sandbox is put under its key while it is empty: what is written next by this graph must be sealed.
        (head.keyEpoch ?? 0) > (than.keyEpoch ?? 0)))
  )
}
