import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool } from 'kysely'
import type { Tables } from './tables.ts'

/** Which sandbox: by its id and the account that holds it, or by a row that is in it. */
export type SandboxIds =
  | { readonly sandboxId: string; readonly userId: string }
  | { readonly sandboxId: string; readonly holderId: string }
  | { readonly sandbox_id: string; readonly user_id: string }

/** The tables whose rows are in sandboxes. */
type InSandboxes = {
  [T in keyof Tables]: Tables[T] extends { user_id: unknown; sandbox_id: unknown } ? T : never
}[keyof Tables]

/** Conditions on other id columns of a row. */
type RowIds = { id?: string; source_id?: string; project_id?: string; job_id?: string }

const is = expressionBuilder<{ row: Record<string, unknown> }, 'row'>()

/** That a row of the statement's one table is of the sandbox, and has these ids in other columns. */
export function ofSandbox(place: SandboxIds, ids: RowIds = {}) {
  const condition = is.and({ ...columnsOf(place), ...ids })
  return <T extends InSandboxes>(_: ExpressionBuilder<Tables, T>): Expression<SqlBool> => condition
}

function columnsOf(place: SandboxIds) {
  if ('user_id' in place) return { user_id: place.user_id, sandbox_id: place.sandbox_id }
  return { user_id: 'userId' in place ? place.userId : place.holderId, sandbox_id: place.sandboxId }
}
