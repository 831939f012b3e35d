import type { Planes } from '../../store/planes.ts'
import { findCredential } from '../registry/provider-secrets.ts'
import type { OpenCredential } from './run-pull.ts'

/**
 * Opens what a source's `provider_credential` is now, so that a pull begins with the latest. Throws `missing` for one
 * under its sandbox's key while nobody holds that here.
 */
export function openCredentials({ sql, secrets, seals }: Pick<Planes, 'sql' | 'secrets' | 'seals'>): OpenCredential {
  return ({ userId, sandboxId, sourceId }) =>
    sql.transact(userId, async (tx) => {
      const source = await tx
        .selectFrom('source')
        .innerJoin('sandbox_head as head', (join) =>
          join.onRef('head.user_id', '=', 'source.user_id').onRef('head.sandbox_id', '=', 'source.sandbox_id'),
        )
        .select(['source.user_id', 'source.sandbox_id', 'source.credential_ref', 'source.credential_under_key'])
        .select('head.key_epoch')
        .where('source.user_id', '=', userId)
        .where('source.sandbox_id', '=', sandboxId)
        .where('source.id', '=', sourceId)
        .executeTakeFirst()
      const epoch = source?.key_epoch ?? undefined
      const seal = epoch === undefined ? undefined : seals.find(sandboxId, epoch)
      return source && findCredential(secrets, tx, source, seal)
    })
}
