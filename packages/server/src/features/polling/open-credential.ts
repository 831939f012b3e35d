import type { Planes } from '../handler.ts'
import type { OpenCredential } from './run-pull.ts'

/** Opens what a source's `provider_credential` is now, so that a pull begins with the latest. */
export function openCredentials({ sql, secrets }: Pick<Planes, 'sql' | 'secrets'>): OpenCredential {
  return ({ userId, sandboxId, sourceId }) =>
    sql.transact(userId, async (tx) => {
      const source = await tx
        .selectFrom('source')
        .select('credential_ref')
        .where('user_id', '=', userId)
        .where('sandbox_id', '=', sandboxId)
        .where('id', '=', sourceId)
        .executeTakeFirst()
      if (!source?.credential_ref) return undefined
      return secrets.find(tx, { userId, sandboxId }, source.credential_ref)
    })
}
