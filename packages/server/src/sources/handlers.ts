import type {
  deliveryOperations,
  importOperations,
  oauthOperations,
  providerOperations,
  sourceOperations,
  trackerOperations,
  userMcpOperations,
} from '@cairnstore/contract'
import type { SourcesHandlers } from './context.ts'
import { receiveDelivery } from './deliveries/receive-delivery.ts'
import { importKnowledge } from './import/import-knowledge.ts'
import { clientDocument } from './oauth/client-for.ts'
import { getSource, listProviders, listSources } from './registry/list-sources.ts'
import { registerSource, updateSource } from './registry/register-source.ts'
import { authorizeUserMcp, completeUserMcpAuthorization } from './tool-servers/consent.ts'
import { receiveCallback } from './tool-servers/oauth-callback.ts'
import { registerTracker } from './tool-servers/register-tracker.ts'
import { registerUserMcp, revokeUserMcp, testUserMcp, updateUserMcp } from './tool-servers/user-mcp.ts'

type AnsweredOperations = typeof sourceOperations &
  typeof oauthOperations &
  typeof providerOperations &
  typeof userMcpOperations &
  typeof trackerOperations &
  typeof deliveryOperations &
  typeof importOperations

/** Handlers of the operations on sources, deliveries and imports. */
export const handlers: SourcesHandlers<AnsweredOperations> = {
  createSource: (ctx, { reach, body }) => registerSource(ctx, reach, body),
  listSources: (ctx, { reach, query }) => listSources(ctx, reach, query),
  listProviders: async () => listProviders(),
  getSource: (ctx, { reach, params }) => getSource(ctx, reach, params.source_id),
  updateSource: (ctx, { reach, params, query, body }) =>
    updateSource(ctx, reach, params.source_id, body, query.merge_adapter_config ?? false),

  createTracker: (ctx, { reach, body }) => registerTracker(ctx, reach, body),
  createUserMcp: (ctx, { reach, body }) => registerUserMcp(ctx, reach, body),
  updateUserMcp: (ctx, { reach, params, body }) => updateUserMcp(ctx, reach, params.source_id, body),
  testUserMcp: (ctx, { reach, params }) => testUserMcp(ctx, reach, params.source_id),
  authorizeUserMcp: (ctx, { reach, params, body }) => authorizeUserMcp(ctx, reach, params.source_id, body),
  completeUserMcpAuthorization: (ctx, { reach, params, body }) =>
    completeUserMcpAuthorization(ctx, reach, params.source_id, body),
  receiveOAuthCallback: (ctx, { query, headers }) => receiveCallback(ctx, query, undefined, headers.accept),
  receiveOAuthIssuerCallback: (ctx, { params, query, headers }) =>
    receiveCallback(ctx, query, params.issuer_tag, headers.accept),
  getOAuthClient: async ({ publicUrl }) => clientDocument(publicUrl),
  revokeUserMcp: (ctx, { reach, params }) => revokeUserMcp(ctx, reach, params.source_id),

  receiveDelivery: (ctx, { params, raw }) => receiveDelivery(ctx, params.slug, raw),

  importKnowledge: (ctx, { reach, query, body, lines, upload, reading, wait }) =>
    importKnowledge(ctx, reach, { query, body, lines, upload, reading, wait }),
}
