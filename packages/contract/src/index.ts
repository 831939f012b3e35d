import { accountOperations } from './account.ts'
import { adminOperations } from './admin.ts'
import { deliveryOperations } from './delivery.ts'
import { importOperations } from './import.ts'
import { ingestOperations } from './ingest.ts'
import { knowledgeOperations } from './knowledge.ts'
import { mcpOperations } from './mcp.ts'
import { messageOperations } from './message.ts'
import { projectOperations } from './project.ts'
import { providerOperations } from './provider.ts'
import { queryOperations } from './query.ts'
import { recordLifecycleOperations } from './record-lifecycle.ts'
import { sandboxOperations } from './sandbox.ts'
import { sandboxLifecycleOperations } from './sandbox-lifecycle.ts'
import { sharingOperations } from './sharing.ts'
import { sourceOperations } from './source.ts'
import { sourceLifecycleOperations } from './source-lifecycle.ts'
import { systemOperations } from './system.ts'
import { trackerOperations } from './tracker.ts'
import { usageOperations } from './usage.ts'
import { userMcpOperations } from './user-mcp.ts'

/** Every operation that the features answer, by id. */
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
  ...usageOperations,
  ...sharingOperations,
  ...adminOperations,
  ...sandboxLifecycleOperations,
  ...sourceLifecycleOperations,
  ...userMcpOperations,
  ...trackerOperations,
  ...mcpOperations,
}

/** Every operation of the API, by id. */
export const operations = { ...featureOperations, ...systemOperations }

export * from './account.ts'
export * from './admin.ts'
export * from './change.ts'
export * from './delivery.ts'
export * from './entity.ts'
export * from './fault.ts'
export * from './gathered-context.ts'
export * from './import.ts'
export * from './ingest.ts'
export * from './job.ts'
export * from './knowledge.ts'
export * from './mcp.ts'
export * from './message.ts'
export * from './neighbourhood.ts'
export * from './openapi.ts'
export * from './operation.ts'
export * from './overview.ts'
export * from './project.ts'
export * from './provider.ts'
export * from './query.ts'
export * from './question.ts'
export * from './record-lifecycle.ts'
export * from './sandbox.ts'
export * from './sandbox-lifecycle.ts'
export * from './schema.ts'
export * from './search.ts'
export * from './sharing.ts'
export * from './source.ts'
export * from './source-lifecycle.ts'
export * from './storage.ts'
export * from './system.ts'
export * from './tool-server.ts'
export * from './tracker.ts'
export * from './usage.ts'
export * from './user-mcp.ts'
