import { operation } from './operation.ts'
import { Anything, Choice, type Static, Type as T } from './schema.ts'

/** What a health check says. */
export const Health = T.Object({ status: Choice(['ok', 'unavailable']) })
export type Health = Static<typeof Health>

const tag = 'System'
const open = { tag, access: 'public', audit: { none: 'reads' }, retry: 'safe', status: 200, method: 'GET' } as const

/** The operations that show the service itself; they need no credential. */
export const systemOperations = {
  healthz: operation({
    ...open,
    path: '/healthz',
    summary: 'Whether the process answers',
    reply: Health,
    faults: [],
  }),
  readyz: operation({
    ...open,
    path: '/readyz',
    summary: 'Whether the service can take requests',
    reply: Health,
    faults: ['unavailable'],
  }),
  metrics: operation({
    ...open,
    path: '/metrics',
    summary: 'Counters and durations, for Prometheus',
    media: 'text/plain',
    faults: [],
  }),
  openapi: operation({
    ...open,
    path: '/openapi.json',
    summary: 'This document',
    reply: Anything('An OpenAPI 3.1 document.'),
    faults: [],
  }),
  docs: operation({
    ...open,
    path: '/docs',
    summary: 'This document, to browse',
    media: 'text/html',
    faults: [],
  }),
}
