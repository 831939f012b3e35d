import { type Expression, expressionBuilder, type SqlBool } from 'kysely'

/** Which sandbox: by its id and the account that holds it. */
export type Place = { readonly sandboxId: string } & ({ readonly userId: string } | { readonly holderId: string })

const is = expressionBuilder<{ row: Record<string, unknown> }, 'row'>()

/** That a row of the statement's one table is of the sandbox, and has these values in other columns. */
export function ofSandbox(place: Place, values: Readonly<Record<string, unknown>> = {}): Expression<SqlBool> {
  const userId = 'userId' in place ? place.userId : place.holderId
  return is.and({ user_id: userId, sandbox_id: place.sandboxId, ...values })
}
