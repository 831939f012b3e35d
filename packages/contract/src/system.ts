import { operation } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import { Anything, Choice, type Static, Type as T } from './schema.ts'

/** What a health check says. */
export const Health = T.Object({ status: Choice(['ok', 'unavailable']) })
export type Health = Static<typeof Health>

/** What a token of the configured issuer may be used for at the endpoint. */
export const SCOPES = ['cairn:read', 'cairn:write'] as const
export type OAuthScope = (typeof SCOPES)[number]

/** Where tokens for a resource come from (RFC 9728). */
export const ProtectedResource = T.Object({
  resource: T.String({ description: 'The endpoint.' }),
  resource_name: T.String(),
  authorization_servers: T.Optional(
    T.Array(T.String(), { description: 'The issuer; absent where none is configured.' }),
  ),
  scopes_supported: T.Array(Choice(SCOPES)),
  bearer_methods_supported: T.Array(Choice(['header'])),
})
export type ProtectedResource = Static<typeof ProtectedResource>

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
  describeMcp: operation({
    ...open,
    path: '/.well-known/oauth-protected-resource/mcp/:sandbox_id',
    summary: 'Where tokens for the MCP endpoint of a sandbox come from (RFC 9728)',
    params: T.Object(sandboxParams),
    reply: { json: ProtectedResource },
    faults: ['not_found'],
  }),
  describeMcpPrimary: operation({
    ...open,
    path: '/.well-known/oauth-protected-resource/mcp',
    summary: 'Where tokens for the MCP endpoint of a primary sandbox come from (RFC 9728)',
    reply: { json: ProtectedResource },
    faults: [],
  }),
}
