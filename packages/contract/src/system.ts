import { operation } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import { Anything, Choice, type Static, Type as T } from './schema.ts'

/** Result of a health check. */
export const Health = T.Object({
  status: Choice(['ok', 'unavailable']),
  warnings: T.Optional(
    T.Array(T.String(), { description: 'What an operator has to do something about; absent where there is nothing.' }),
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
  authorization_servers: T.Optional(
    T.Array(T.String(), { description: 'The issuer; absent where none is configured.' }),
  ),
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
    summary: 'Whether the process answers',
    reply: { json: Health },
    faults: [],
  }),
  getReadiness: operation({
    ...open,
    path: '/readyz',
    summary: 'Whether the service can take requests',
    reply: { json: Health },
    faults: ['unavailable'],
  }),
  getMetrics: operation({
    ...open,
    path: '/metrics',
    summary: 'Counters and durations, for Prometheus',
    description:
      'Takes `CAIRN_METRICS_KEY` or the admin key as a bearer. Without one it answers only who asks from the machine ' +
      'itself, through no proxy, and everybody with `CAIRN_METRICS_OPEN=on`. They are counted once a second at most.',
    reply: { text: 'text/plain' },
    faults: ['unavailable', 'unauthorized', 'rate_limited'],
  }),
  getOpenApi: operation({
    ...open,
    path: '/openapi.json',
    summary: 'This document',
    headers: T.Object({
      'if-none-match': T.Optional(T.String({ description: 'The `ETag` of the document that you have.' })),
      'accept-encoding': T.Optional(T.String({ description: '`br` and `gzip` are sent where they are named.' })),
    }),
    reply: {
      json: Anything('An OpenAPI 3.1 document.'),
      isWritten: true,
      otherwise: { status: 304, when: 'It is the one that If-None-Match names.' },
    },
    faults: ['unavailable', 'rate_limited'],
  }),
  getReference: operation({
    ...open,
    path: '/docs',
    summary: 'This document, to browse',
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
    faults: [],
  }),
}
