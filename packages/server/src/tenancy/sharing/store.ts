import type { Connection, Id } from '@cairnstore/contract'
import { sql as sqlText } from 'kysely'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { Reach } from '../reach/reach.ts'

/** A connection with whether its end has come, by the database's clock, which is the one that decides. */
type ConnectionRow = Row<'connection'> & { isOver: boolean }

/** Whether the moment of a row's end has come. */
export const isOver = sqlText<boolean>`expires_at is not null and expires_at <= now()`.as('isOver')

/** The connections of the sandbox. */
export function connectionsOf(tx: Tx, reach: Reach) {
  return tx.selectFrom('connection').selectAll().select(isOver).where(ofSandbox(reach))
}

/** A connection's row as the contract shows it. */
export function wireConnection(row: ConnectionRow): Connection {
  return {
    connection_id: row.id as Id<'connection'>,
    sandbox_id: row.sandbox_id as Id<'sandbox'>,
    user_id: row.grantee_user_id,
    role: row.role,
    project_id: row.project_id as Id<'project'> | null,
    label: row.label,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    status: row.revoked_at ? 'revoked' : row.isOver ? 'expired' : 'active',
  }
}
