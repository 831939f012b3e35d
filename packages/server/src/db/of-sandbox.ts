import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool } from 'kysely'
import type { Tables } from './tables.ts'

/** The ids of a sandbox and its account, as in a reference, an access scope or a row. */
type SandboxIds =
  | { readonly sandboxId: string; readonly userId: string }
  | { readonly sandboxId: string; readonly holderId: string }
  | { readonly sandbox_id: string; readonly user_id: string }

/** The tables with the columns `user_id` and `sandbox_id`. */
type InSandboxes = {
  [T in keyof Tables]: Tables[T] extends { user_id: unknown; sandbox_id: unknown } ? T : never
}[keyof Tables]

/** Conditions on other id columns of a row. */
type RowIds = { id?: string; source_id?: string; project_id?: string; job_id?: string }

const is = expressionBuilder<{ row: Record<string, unknown> }, 'row'>()

/** Returns a condition for a statement on one table: the row is of this sandbox and has these other ids. */
export function ofSandbox(place: SandboxIds, ids: RowIds = {}) {
  const condition = is.and({ ...columnsOf(place), ...ids })
  return <T extends InSandboxes>(_: ExpressionBuilder<Tables, T>): Expression<SqlBool> => condition
}

function columnsOf(place: SandboxIds) {
  if ('user_id' in place) return { user_id: place.user_id, sandbox_id: place.sandbox_id }
  return { user_id: 'userId' in place ? place.userId : place.holderId, sandbox_id: place.sandboxId }
}
