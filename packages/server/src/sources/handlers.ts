import type {
  deliveryOperations,
  importOperations,
  providerOperations,
  sourceOperations,
  trackerOperations,
  userMcpOperations,
} from '@cairnstore/contract'
import { Fault } from '../base/fault.ts'
import { sourcesIn } from '../tenancy/sources/source-rows.ts'
import type { SourcesHandlers } from './context.ts'
import { receiveDelivery } from './deliveries/receive-delivery.ts'
import { importKnowledge } from './import/import-knowledge.ts'
import { listProviders, listSources } from './registry/list-sources.ts'
import { registerSource, updateSource } from './registry/register-source.ts'
import { wireSource } from './registry/store.ts'
import { registerTracker } from './tool-servers/register-tracker.ts'
import { registerUserMcp, revokeUserMcp, testUserMcp, updateUserMcp } from './tool-servers/user-mcp.ts'

type AnsweredOperations = typeof sourceOperations &
  typeof providerOperations &
  typeof userMcpOperations &
  typeof trackerOperations &
  typeof deliveryOperations &
  typeof importOperations

/** Answers the operations on sources, what they deliver, and what is imported. */
export const handlers: SourcesHandlers<AnsweredOperations> = {
  createSource: (ctx, { reach, body }) => registerSource(ctx, reach, body),
  listSources: (ctx, { reach, query }) => listSources(ctx, reach, query),
  listProviders: async () => listProviders(),
  getSource: async (ctx, { reach, params }) => {
    const [row] = await ctx.sql.look(reach.holderId, (tx) =>
      sourcesIn(tx, reach).selectAll('source').where('source.id', '=', params.source_id),
    )
    if (!row) throw new Fault('not_found')
    return wireSource(row, ctx.publicUrl)
  },
  updateSource: (ctx, { reach, params, query, body }) =>
    updateSource(ctx, reach, params.source_id, body, query.merge_adapter_config ?? false),

  createTracker: (ctx, { reach, body }) => registerTracker(ctx, reach, body),
  createUserMcp: (ctx, { reach, body }) => registerUserMcp(ctx, reach, body),
  updateUserMcp: (ctx, { reach, params, body }) => updateUserMcp(ctx, reach, params.source_id, body),
  testUserMcp: (ctx, { reach, params }) => testUserMcp(ctx, reach, params.source_id),
  revokeUserMcp: (ctx, { reach, params }) => revokeUserMcp(ctx, reach, params.source_id),

  receiveDelivery: (ctx, { params, raw }) => receiveDelivery(ctx, params.slug, raw),

  importKnowledge: (ctx, { reach, query, body, lines, upload, reading, wait }) =>
    importKnowledge(ctx, reach, { query, body, lines, upload, reading, wait }),
}
