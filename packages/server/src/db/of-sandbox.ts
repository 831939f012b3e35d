import { type Expression, type ExpressionBuilder, expressionBuilder, type SelectType, type SqlBool, sql } from 'kysely'
import type { Tx } from './open.ts'
import type { Tables } from './tables.ts'

/** The ids of a sandbox and its account, as in a reference, an access scope or a row. */
type SandboxIds =
  | { readonly sandboxId: string; readonly userId: string }
  | { readonly sandboxId: string; readonly holderId: string }
  | { readonly sandbox_id: string; readonly user_id: string }

type Values = Readonly<Record<string, string | number | Buffer | null>>

/** The tables that have these columns, with values of these types. */
type TablesWith<V> = {
  [T in keyof Tables]: V extends { [C in keyof V]: C extends keyof Tables[T] ? SelectType<Tables[T][C]> : never }
    ? T
    : never
}[keyof Tables]

type Condition<V> = <T extends TablesWith<V>>(_: ExpressionBuilder<Tables, T>) => Expression<SqlBool>

const is = expressionBuilder<{ row: Record<string, unknown> }, 'row'>()

/** Returns a condition for a statement on one table: the row has these values. */
export function hasValues<const V extends Values>(values: V): Condition<V> {
  const condition = is.and(values)
  return () => condition
}

/** Returns a condition for a statement on one table: the row is of this sandbox and has these other values. */
export function ofSandbox(place: SandboxIds): Condition<SandboxColumns>
export function ofSandbox<const V extends Values>(place: SandboxIds, values: V): Condition<SandboxColumns & V>
export function ofSandbox(place: SandboxIds, values: Values = {}) {
  return hasValues({ ...sandboxColumns(place), ...values })
}

/** Returns a condition for a statement on the table `sandbox`: the row is this sandbox. */
export function isSandbox(place: SandboxIds) {
  const { user_id, sandbox_id: id } = sandboxColumns(place)
  return hasValues({ user_id, id })
}

/** Returns true if the table has a row with these values. */
export async function hasRow<const V extends Values>(tx: Tx, table: TablesWith<V>, values: V): Promise<boolean> {
  const { rows } = await sql`select 1 from ${sql.table(table)} where ${is.and(values)} limit 1`.execute(tx)
  return rows.length > 0
}

type SandboxColumns = { user_id: string; sandbox_id: string }

/** Returns the columns that identify the sandbox in a row of one of its tables. */
export function sandboxColumns(place: SandboxIds): SandboxColumns {
  if ('user_id' in place) return { user_id: place.user_id, sandbox_id: place.sandbox_id }
  return { user_id: 'userId' in place ? place.userId : place.holderId, sandbox_id: place.sandboxId }
}
