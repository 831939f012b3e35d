import type { featureOperations } from '@cairn/contract'
import { handlers as knowledgeHandlers } from './answer/entities/handlers.ts'
import { handlers as queryHandlers } from './answer/handlers.ts'
import type { Handlers } from './http/context.ts'
import { handlers as ingestHandlers } from './ingest/handlers.ts'
import { handlers as adminHandlers } from './lifecycle/admin/handlers.ts'
import { handlers as sandboxHandlers } from './lifecycle/sandboxes/handlers.ts'
import { lifecycleHandlers as sandboxLifecycleHandlers } from './lifecycle/sandboxes/lifecycle-handlers.ts'
import { lifecycleHandlers as sourceLifecycleHandlers } from './lifecycle/sources/lifecycle-handlers.ts'
import { handlers as mcpHandlers } from './mcp/handlers.ts'
import { handlers as deliveryHandlers } from './sources/deliveries/handlers.ts'
import { handlers as importHandlers } from './sources/import/handlers.ts'
import { handlers as sourceHandlers } from './sources/registry/handlers.ts'
import { handlers as toolServerHandlers } from './sources/tool-servers/handlers.ts'
import { handlers as accountHandlers } from './tenancy/accounts/handlers.ts'
import { handlers as usageHandlers } from './tenancy/limits/handlers.ts'
import { handlers as projectHandlers } from './tenancy/projects/handlers.ts'
import { handlers as sharingHandlers } from './tenancy/sharing/handlers.ts'

/** What answers each operation of the features. */
export const handlers: Handlers<typeof featureOperations> = {
  ...accountHandlers,
  ...sandboxHandlers,
  ...sourceHandlers,
  ...projectHandlers,
  ...ingestHandlers,
  ...importHandlers,
  ...deliveryHandlers,
  ...knowledgeHandlers,
  ...queryHandlers,
  ...usageHandlers,
  ...sharingHandlers,
  ...adminHandlers,
  ...sandboxLifecycleHandlers,
  ...sourceLifecycleHandlers,
  ...toolServerHandlers,
  ...mcpHandlers,
}
