import { accountOperations, usageOperations } from './account.ts'
import { adminOperations, consoleOperations } from './admin.ts'
import { answerOperations } from './answer.ts'
import { authOperations } from './auth.ts'
import { deliveryOperations } from './delivery.ts'
import { evaluationOperations } from './evaluation.ts'
import { importOperations } from './import.ts'
import { ingestOperations } from './ingest.ts'
import { knowledgeOperations } from './knowledge.ts'
import { mcpOperations } from './mcp.ts'
import { oauthOperations } from './mcp-authorization.ts'
import { memberOperations } from './member.ts'
import { messageOperations } from './message.ts'
import { projectOperations } from './project.ts'
import { queryOperations } from './query.ts'
import { sandboxOperations } from './sandbox.ts'
import { recordLifecycleOperations, sandboxLifecycleOperations } from './sandbox-lifecycle.ts'
import { sharingOperations } from './sharing.ts'
import { providerOperations, sourceOperations } from './source.ts'
import { sourceLifecycleOperations } from './source-lifecycle.ts'
import { systemOperations } from './system.ts'
import { trackerOperations } from './tool-server.ts'
import { userMcpOperations } from './user-mcp.ts'
import { webhookOperations } from './webhook.ts'

/** All operations of the features, by id. */
export const featureOperations = {
  ...accountOperations,
  ...sandboxOperations,
  ...sourceOperations,
  ...providerOperations,
  ...projectOperations,
  ...ingestOperations,
  ...messageOperations,
  ...importOperations,
  ...deliveryOperations,
  ...knowledgeOperations,
  ...recordLifecycleOperations,
  ...queryOperations,
  ...answerOperations,
  ...evaluationOperations,
  ...usageOperations,
  ...sharingOperations,
  ...adminOperations,
  ...consoleOperations,
  ...memberOperations,
  ...authOperations,
  ...sandboxLifecycleOperations,
  ...sourceLifecycleOperations,
  ...userMcpOperations,
  ...oauthOperations,
  ...trackerOperations,
  ...webhookOperations,
  ...mcpOperations,
}

/** All operations of the API, by id. */
export const operations = { ...featureOperations, ...systemOperations }

export * from './fault.ts'
export * from './nouns.ts'
export * from './openapi.ts'
export * from './operation.ts'
export * from './schema.ts'
