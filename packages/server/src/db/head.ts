import type { Row } from './tables.ts'

/** The columns of a head row that name the committed state. */
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

/** Returns the columns of a head row for the dataset versions and commit numbers. */
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

/** The committed version of each dataset of a sandbox. Version 0 means that the dataset does not exist yet. */
export interface Head {
  /** Opaque: generation and Lance version in one safe integer (see `sandbox-folder.ts`). */
  readonly recordsVersion: number
  readonly entitiesVersion: number
  readonly linksVersion: number
  readonly vectorsVersion: number
  /** Number of the last commit. */
  readonly seq: number
  /** Tombstones up to this commit are deleted. An index at an earlier commit must be rebuilt. */
  readonly floorSeq: number
  /** Epoch, from 1, of the customer-managed key that encrypts the data. Null without such a key. */
  readonly keyEpoch: number | null
  /** Name of the index snapshot. Null if there is none. */
  readonly graphImage: string | null
}

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

/** Returns true if a head has a later commit, newer datasets or a newer key than another. */
export function isNewer(head: Head, than: Head): boolean {
  return (
    head.seq > than.seq ||
    (head.seq === than.seq &&
      (head.recordsVersion > than.recordsVersion ||
        head.entitiesVersion > than.entitiesVersion ||
        head.linksVersion > than.linksVersion ||
        head.vectorsVersion > than.vectorsVersion ||
        // An empty sandbox gets its first key without a commit. Its next rows must be encrypted.
        (head.keyEpoch ?? 0) > (than.keyEpoch ?? 0)))
  )
}
