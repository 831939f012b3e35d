import { ConfigError } from '../config/config-error.ts'
import type { Planes } from '../tenancy/planes.ts'

/** A storage with its URI, its id, and the path of the object that holds the id. */
interface IdentifiedStorage {
  uri: string
  id: string
  idLocation: string
}

/**
 * Checks that this database's records are in this storage. Notes the id of the first storage that is used. Throws
 * ConfigError for any other storage. Otherwise two processes on one database would each miss the other's records.
 */
export async function adoptStorage(
  { sql, clock }: Pick<Planes, 'sql' | 'clock'>,
  { uri, id, idLocation: placeOfId }: IdentifiedStorage,
): Promise<void> {
  const expectedId = await sql.transact({ worker: true }, async (tx) => {
    await tx
      .insertInto('storage_id')
      .values({ id, noted_at: clock.now() })
      .onConflict((is) => is.column('is_only').doNothing())
      .execute()
    return (await tx.selectFrom('storage_id').select('id').executeTakeFirstOrThrow()).id
  })
  if (expectedId === id) return
  throw new ConfigError(
    `The database at DATABASE_URL belongs to another storage than ${uri}: it expects the id ${expectedId}, but this ` +
      `storage has ${id}. All processes on a database must use the same storage: set STORAGE_URL (or CAIRN_DATA, if ` +
      'it is unset) to the storage of the other processes. ' +
      `If this is a restored or copied storage that lost its id, write ${expectedId} to ${placeOfId}.`,
  )
}
