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
  createSource: (ctx, { access, body }) => registerSource(ctx, access, body),
  listSources: (ctx, { access, query }) => listSources(ctx, access, query),
  listProviders: async () => listProviders(),
  getSource: (ctx, { access, params }) => getSource(ctx, access, params.source_id),
  updateSource: (ctx, { access, params, query, body }) =>
    updateSource(ctx, access, params.source_id, body, query.merge_adapter_config ?? false),

  createTracker: (ctx, { access, body }) => registerTracker(ctx, access, body),
  createUserMcp: (ctx, { access, body }) => registerUserMcp(ctx, access, body),
  updateUserMcp: (ctx, { access, params, body }) => updateUserMcp(ctx, access, params.source_id, body),
  testUserMcp: (ctx, { access, params }) => testUserMcp(ctx, access, params.source_id),
  authorizeUserMcp: (ctx, { access, params, body }) => authorizeUserMcp(ctx, access, params.source_id, body),
  completeUserMcpAuthorization: (ctx, { access, params, body }) =>
    completeUserMcpAuthorization(ctx, access, params.source_id, body),
  receiveOAuthCallback: (ctx, { query, headers }) => receiveCallback(ctx, query, undefined, headers.accept),
  receiveOAuthIssuerCallback: (ctx, { params, query, headers }) =>
    receiveCallback(ctx, query, params.issuer_tag, headers.accept),
  getOAuthClient: async ({ publicUrl }) => clientDocument(publicUrl),
  revokeUserMcp: (ctx, { access, params }) => revokeUserMcp(ctx, access, params.source_id),

  receiveDelivery: (ctx, { params, raw }) => receiveDelivery(ctx, params.slug, raw),

  importKnowledge: (ctx, { access, query, body, lines, upload, reading, wait }) =>
    importKnowledge(ctx, access, { query, body, lines, upload, reading, wait }),
}
