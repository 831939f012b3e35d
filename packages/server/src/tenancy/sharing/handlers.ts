import type { sharingOperations } from '@cairnstore/contract'
import { listAudit } from '../audit/list-audit.ts'
import type { Handlers } from '../context.ts'
import { createConnection } from './create-connection.ts'
import { createConnectionKey } from './create-connection-key.ts'
import { listConnections } from './list-connections.ts'
import { revokeConnection } from './revoke-connection.ts'

/** Answers the operations by which an owner shares a sandbox and sees what was done in it. */
export const handlers: Handlers<typeof sharingOperations> = {
  createConnection: (ctx, { reach, body }) => createConnection(ctx, reach, body),
  listConnections: (ctx, { reach, query }) => listConnections(ctx, reach, query.include_revoked ?? false),
  revokeConnection: (ctx, { reach, params }) => revokeConnection(ctx, reach, params.connection_id),
  createConnectionKey: (ctx, { reach, params }) => createConnectionKey(ctx, reach, params.connection_id),
  listAudit: (ctx, { reach, query }) => listAudit(ctx, { tenant: reach.holderId }, reach.sandboxId, query),
}
