import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'

/** Where the value of a secret is: sealed in its row, or as one version in a vault. */
type Whereabouts = Omit<Row<'sealed_secret'>, 'user_id' | 'sandbox_id' | 'ref'>

/** Writes where the secret under the reference is, in place of where it was. */
export async function putSecretRow(tx: Tx, place: SecretPlace, ref: string, fresh: Whereabouts): Promise<void> {
  await tx
    .insertInto('sealed_secret')
    .values({ user_id: place.userId, sandbox_id: place.sandboxId, ref, ...fresh })
    .onConflict((is) => is.columns(['user_id', 'sandbox_id', 'ref']).doUpdateSet(fresh))
    .execute()
}

/** Where the secret under the reference is; undefined when there is none. */
export async function findSecretRow(tx: Tx, place: SecretPlace, ref: string): Promise<Whereabouts | undefined> {
  return tx
    .selectFrom('sealed_secret')
    .select(['sealed', 'sealed_at', 'vault_version', 'vault_settled'])
    .where(ofSandbox(place))
    .where('ref', '=', ref)
    .executeTakeFirst()
}

/** Whose secret it is. It goes with the sandbox. */
export interface SecretPlace {
  userId: string
  sandboxId: string
}
