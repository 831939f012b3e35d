import { ConfigError } from '../config/config-error.ts'
import type { Planes } from '../tenancy/planes.ts'

/** A storage: its address, its id, and where that id stands. */
interface Identified {
  uri: string
  id: string
  placeOfId: string
}

/**
 * Makes sure that the records of this database are in this storage: the id of the first one to come is noted. Throws
 * ConfigError, which says what to do, for another storage: each of two processes would have records that the other has
 * not.
 */
export async function adoptStorage(
  { sql, clock }: Pick<Planes, 'sql' | 'clock'>,
  { uri, id, placeOfId }: Identified,
): Promise<void> {
  const noted = await sql.transact({ worker: true }, async (tx) => {
    await tx
      .insertInto('storage_id')
      .values({ id, noted_at: clock.now() })
      .onConflict((is) => is.column('is_only').doNothing())
      .execute()
    return (await tx.selectFrom('storage_id').select('id').executeTakeFirstOrThrow()).id
  })
  if (noted === id) return
  throw new ConfigError(
    `The records of the database at DATABASE_URL are in another storage than ${uri}: theirs has the id ${noted}, ` +
      `this one ${id}. Processes on one database share one storage: set STORAGE_URL, or without it CAIRN_DATA, to ` +
      'the one that the others have. ' +
      `Where this is that storage, restored or copied without its id, write ${noted} to ${placeOfId}.`,
  )
}
