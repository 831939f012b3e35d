import { MS_PER_DAY } from '@cairnstore/engine/text'
import { sql } from 'kysely'
import type { Planes } from '../../store/planes.ts'

/** How long it is remembered what became of the files of an import. */
export const FILES_KEPT_DAYS = 30
/** Files dropped in one round. */
const ROWS_MAX = 50_000

/** Drops what became of files of imports that were long ago. */
export async function dropFiles({ sql: control, clock }: Planes): Promise<void> {
  const cutoff = new Date(clock.now().getTime() - FILES_KEPT_DAYS * MS_PER_DAY)
  await control.transact({ worker: true }, (tx) =>
    sql`delete from import_file where ctid = any (array(
      select ctid from import_file where noted_at < ${cutoff} order by noted_at limit ${ROWS_MAX}
    ))`.execute(tx),
  )
}
