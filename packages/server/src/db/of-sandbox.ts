import { type Expression, expressionBuilder, type SqlBool } from 'kysely'

/** Which sandbox: by its id and the account that holds it, or by a row that is in it. */
export type Place =
  | { readonly sandboxId: string; readonly userId: string }
  | { readonly sandboxId: string; readonly holderId: string }
  | { readonly sandbox_id: string; readonly user_id: string }

const is = expressionBuilder<{ row: Record<string, unknown> }, 'row'>()

/** That a row of the statement's one table is of the sandbox, and has these values in other columns. */
export function ofSandbox(place: Place, values: Readonly<Record<string, unknown>> = {}): Expression<SqlBool> {
  return is.and({ ...columnsOf(place), ...values })
}

function columnsOf(place: Place) {
  if ('user_id' in place) return { user_id: place.user_id, sandbox_id: place.sandbox_id }
  return { user_id: 'userId' in place ? place.userId : place.holderId, sandbox_id: place.sandboxId }
}
