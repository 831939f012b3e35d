import type { Row } from '../../db/tables.ts'
import type { Head } from './lance/rows.ts'

/** The columns of a head row that name what is committed. */
export type HeadRow = Pick<
  Row<'sandbox_head'>,
  'records_version' | 'entities_version' | 'links_version' | 'vectors_version' | 'seq' | 'floor_seq' | 'key_epoch'
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
  }
}
