import { type Operations, openApi, type systemOperations } from '@cairn/contract'
import { Fault } from '../base/fault.ts'
import { type Handlers, reply } from '../features/handler.ts'
import { DOCS_PAGE } from './docs-page.ts'
import type { Metrics } from './metrics.ts'
import { DOCS_POLICY } from './safe-headers.ts'

/** The handlers of the operations that show the service itself. */
export function systemHandlers(
  operations: Operations,
  version: string,
  metrics: Metrics,
  isReady: () => Promise<boolean>,
): Handlers<typeof systemOperations> {
  const document = openApi(operations, version)
  return {
    healthz: async () => ({ status: 'ok' }),
    readyz: async () => {
      if (!(await isReady())) throw new Fault('unavailable')
      return { status: 'ok' }
    },
    metrics: async () => metrics.registry.metrics(),
    openapi: async () => document,
    docs: async () => reply(200, DOCS_PAGE, { 'content-security-policy': DOCS_POLICY }),
  }
}
