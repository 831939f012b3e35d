import { operation } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import { Anything, Choice, type Static, Type as T } from './schema.ts'

export const Health = T.Object({
  status: Choice(['ok', 'unavailable']),
  warnings: T.Optional(
    T.Array(T.String(), { description: 'Problems that need action by the operator; absent if there are none.' }),
  ),
})
export type Health = Static<typeof Health>

/** OAuth scopes of MCP endpoints. */
export const SCOPES = ['cairn:read', 'cairn:write'] as const
export type OAuthScope = (typeof SCOPES)[number]

/** Metadata of a protected resource (RFC 9728). */
export const ProtectedResource = T.Object({
  resource: T.String({ description: 'The endpoint.' }),
  resource_name: T.String(),
  authorization_servers: T.Optional(T.Array(T.String(), { description: 'The issuer; absent if none is configured.' })),
  scopes_supported: T.Array(Choice(SCOPES)),
  bearer_methods_supported: T.Array(Choice(['header'])),
})
export type ProtectedResource = Static<typeof ProtectedResource>

const tag = 'System'
const open = { tag, access: 'public', audit: { none: 'reads' }, retry: 'safe', status: 200, method: 'GET' } as const

/** Operations about the service itself. They need no credential, except `getMetrics` from another machine. */
export const systemOperations = {
  getHealth: operation({
    ...open,
    path: '/healthz',
    summary: 'Check if the process is running',
    reply: { json: Health },
  }),
  getReadiness: operation({
    ...open,
    path: '/readyz',
    summary: 'Check if the service accepts requests',
    reply: { json: Health },
    faults: ['unavailable'],
  }),
  getMetrics: operation({
    ...open,
    path: '/metrics',
    summary: 'Metrics for Prometheus',
    description:
      'Accepts `CAIRN_METRICS_KEY` or the admin key as a bearer token. Without one, it answers only requests from ' +
      'this machine without a proxy, or all requests with `CAIRN_METRICS_OPEN=on`. The values are computed at most ' +
      'once per second.',
    reply: { text: 'text/plain' },
    faults: ['unavailable', 'unauthorized', 'rate_limited'],
  }),
  getOpenApi: operation({
    ...open,
    path: '/openapi.json',
    summary: 'This document',
    headers: T.Object({
      'if-none-match': T.Optional(T.String({ description: 'The `ETag` of your copy of the document.' })),
      'accept-encoding': T.Optional(T.String({ description: '`br` and `gzip` are supported.' })),
    }),
    reply: {
      json: Anything('An OpenAPI 3.1 document.'),
      isWritten: true,
      otherwise: { status: 304, when: 'The document is unchanged.' },
    },
    faults: ['unavailable', 'rate_limited'],
  }),
  getReference: operation({
    ...open,
    path: '/docs',
    summary: 'This document as a web page',
    reply: { text: 'text/html' },
    faults: ['rate_limited'],
  }),
  getMcpMetadata: operation({
    ...open,
    path: '/.well-known/oauth-protected-resource/mcp/:sandbox_id',
    summary: 'Where tokens for the MCP endpoint of a sandbox come from (RFC 9728)',
    params: T.Object(sandboxParams),
    reply: { json: ProtectedResource },
    faults: ['not_found'],
  }),
  getMcpMetadataPrimary: operation({
    ...open,
    path: '/.well-known/oauth-protected-resource/mcp',
    summary: 'Where tokens for the MCP endpoint of a primary sandbox come from (RFC 9728)',
    reply: { json: ProtectedResource },
  }),
}
