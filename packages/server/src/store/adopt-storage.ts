import { ConfigError } from '../config/config-error.ts'
import type { Planes } from '../tenancy/planes.ts'

/** A storage: its URI, its id, and the path of the file or object with the id. */
interface IdentifiedStorage {
  uri: string
  id: string
  idLocation: string
}

/**
 * Binds the database to the first storage that it is used with. Throws ConfigError for any other storage. Otherwise
 * processes on one database could use different storages, and each would miss the others' records.
 */
export async function adoptStorage(
  { sql, clock }: Pick<Planes, 'sql' | 'clock'>,
  { uri, id, idLocation }: IdentifiedStorage,
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
      `If this is a restored or copied storage that lost its id, write ${expectedId} to ${idLocation}.`,
  )
}
