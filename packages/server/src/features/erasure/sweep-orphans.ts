import type { Planes } from '../handler.ts'

/**
 * Removes folders of knowledge that belong to no sandbox, as a crash at an unlucky moment may leave. A sandbox has its
 * row before it has a folder, so a folder without a row is nobody's. Only for a database that lies beside the folders:
 * another one may know nothing of sandboxes that are somebody's.
 */
export async function sweepOrphans({ sql, knowledge, log }: Planes): Promise<void> {
  for (const place of await knowledge.listLocal()) {
    const row = await sql.transact(place.userId, (tx) =>
      tx
        .selectFrom('sandbox')
        .select('id')
        .where('user_id', '=', place.userId)
        .where('id', '=', place.sandboxId)
        .executeTakeFirst(),
    )
    if (row) continue
    await knowledge.erase(place)
    log.info('files of a sandbox that is gone were removed', { sandboxId: place.sandboxId })
  }
}
