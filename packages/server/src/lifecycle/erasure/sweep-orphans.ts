import { isOfAccount } from '../../store/lance/sandbox-folder.ts'
import type { Planes } from '../../store/planes.ts'

/**
 * Removes folders of knowledge that belong to no sandbox, as a crash at an unlucky moment may leave. A sandbox has its
 * row before it has a folder, so a folder without a row is nobody's. Only for a database that lies beside the folders:
 * another one may know nothing of sandboxes that are somebody's.
 */
export async function sweepOrphans({ sql, knowledge, log }: Pick<Planes, 'sql' | 'knowledge' | 'log'>): Promise<void> {
  for (const place of await knowledge.listLocal()) {
    const owners = await sql.transact({ operator: true }, (tx) =>
      tx.selectFrom('sandbox').select('user_id').where('id', '=', place.sandboxId).execute(),
    )
    if (owners.some((row) => isOfAccount(place, row.user_id))) continue
    await knowledge.eraseLocal(place)
    log.info('files of a sandbox that is gone were removed', { sandboxId: place.sandboxId })
  }
}
