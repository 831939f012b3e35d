import type { Observe } from '../base/observe.ts'
import type { Sql } from './open.ts'

/** The same control plane, of which each transaction is measured. */
export function observedSql(sql: Sql, observe: Observe): Sql {
  return {
    ...sql,
    transact: (scope, work, options) => observe('database.transact', () => sql.transact(scope, work, options)),
    look: (scope, ask) => observe('database.look', () => sql.look(scope, ask)),
    write: (scope, ask, options) => observe('database.write', () => sql.write(scope, ask, options)),
  }
}
