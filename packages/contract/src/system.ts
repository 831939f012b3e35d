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
    reply: { json: Health },
    faults: [],
  }),
  readyz: operation({
    ...open,
    path: '/readyz',
    summary: 'Whether the service can take requests',
    reply: { json: Health },
    faults: ['unavailable'],
  }),
  metrics: operation({
    ...open,
    path: '/metrics',
    summary: 'Counters and durations, for Prometheus',
    reply: { text: 'text/plain' },
    faults: ['unavailable'],
  }),
  openapi: operation({
    ...open,
    path: '/openapi.json',
    summary: 'This document',
    headers: T.Object({
      'if-none-match': T.Optional(T.String({ description: 'The `ETag` of the document that you have.' })),
    }),
    reply: {
      json: Anything('An OpenAPI 3.1 document.'),
      isWritten: true,
      otherwise: { status: 304, when: 'It is the one that If-None-Match names.' },
    },
    faults: ['unavailable'],
  }),
  docs: operation({
    ...open,
    path: '/docs',
    summary: 'This document, to browse',
    reply: { text: 'text/html' },
    faults: [],
  }),
}
