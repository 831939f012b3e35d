import { type ErrorBody, FAULTS, type FaultName, faultOf, REASONS } from './fault.ts'
import { type NamedSchemas, namedSchemas, schemasUsed, toSchema } from './named-schemas.ts'
import { commonFaults, headersOf, type Operation, type Operations, queryOf, type RequestBody } from './operation.ts'
import { type TSchema, Type } from './schema.ts'
import { OutcomeRefusal } from './tool-server.ts'

type Json = Record<string, unknown>

const TITLE = 'Cairn'
const ABOUT = [
  'A multi-tenant knowledge store that answers questions with short, cited answers.',
  'Bodies are JSON in UTF-8; times are RFC 3339 in UTC; ids are opaque strings that sort by age. Unknown and read-only',
  'fields of a body are ignored. Every reply has `X-Request-Id`: yours when it matches `^[\\w.-]{1,64}$`, else a new',
  'one. Every error has the same body; `error` and `reason` are closed lists, `detail` is for people and may change.',
  'Resources outside your access scope get the same reply as missing ones.',
].join('\n')

const TAGS: Record<string, string> = {
  Account: 'Your account and its API keys.',
  Sandboxes: 'Isolated knowledge stores, for example one for each of your end users.',
  Sources: 'Integrations that feed records into a sandbox.',
  Projects: 'Named groupings inside a sandbox.',
  Ingest: 'Ingesting content.',
  Deliveries: 'Events that products send.',
  Knowledge: 'Stored knowledge: entities and records.',
  Query: 'Questions and briefs.',
  Webhooks: 'Endpoints that are notified of changes.',
  MCP: 'The Model Context Protocol, for agents.',
  Sharing: 'Access for others to a sandbox, and its audit log.',
  Members: 'The people of your account, how they join it, and their groups.',
  'Sign-in': 'Browser sessions, with an identity provider or by a link.',
  Admin: 'Operator functions; they need the admin key.',
  System: 'The service itself.',
}

/** Returns the OpenAPI 3.1 document of these operations. */
export function openApi(operations: Operations, version: string): Json {
  const names = namedSchemas()
  const paths: Record<string, Json> = {}
  for (const [id, operation] of Object.entries(operations)) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: toOperation(id, operation, names) }
  }
  const used = new Set(Object.values(operations).map(({ tag }) => tag))
  return {
    openapi: '3.1.0',
    info: { title: TITLE, version, description: ABOUT, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    tags: [...used].map((name) => ({ name, description: TAGS[name] })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or a JWT of a configured issuer.' },
      },
      schemas: {
        Error: errorSchema(),
        ...schemasUsed(paths, names),
      },
    },
  }
}

function toOperation(id: string, operation: Operation, names: NamedSchemas): Json {
  return {
    operationId: id,
    tags: [operation.tag],
    summary: operation.summary,
    description: [operation.description, accessSentence(operation)].filter(Boolean).join('\n\n'),
    security: securityOf(operation),
    parameters: [
      ...toParameters('path', operation.params),
      ...toParameters('query', queryOf(operation)),
      ...toParameters('header', Type.Object(headersOf(operation)), []),
    ],
    ...(operation.reply?.json && operation.reply.stream && { 'x-also-streams': operation.reply.stream }),
    ...(operation.body && { requestBody: toRequestBody(operation.body, names) }),
    responses: { ...successes(operation, names), ...failures(operation, names) },
  }
}

/** Returns the security requirement of an operation. It is optional for a public operation that may answer 401. */
function securityOf({ access, faults = [] }: Operation): Json[] {
  if (access !== 'public') return [{ bearer: [] }]
  return faults.includes('unauthorized') ? [{}, { bearer: [] }] : []
}

function accessSentence({ access, faults = [] }: Operation): string {
  if (access === 'public') return faults.includes('unauthorized') ? '' : 'Needs no credential.'
  if (access === 'admin') return 'Needs the admin key.'
  if (access === 'sender') return 'Needs the secret of the source.'
  return access === 'account' ? 'Needs a credential.' : `Needs the role \`${access}\` on the sandbox, or a higher one.`
}

/** Converts the properties of a schema to parameters. Callers pass no `needed` for headers. */
function toParameters(place: 'path' | 'query' | 'header', schema: TSchema | undefined, needed?: string[]): Json[] {
  const { properties = {}, required: declared = [] } = (schema ?? {}) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  const required = needed ?? declared
  return Object.entries(properties)
    .filter(([name]) => name !== 'accept')
    .map(([name, { description, ...rest }]) => ({
      name: place === 'header' ? headerName(name) : name,
      in: place,
      required: required.includes(name),
      description,
      schema: rest,
    }))
}

function headerName(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (part) => part.toUpperCase())
}

/** Schema of a file body. */
const FILE = { type: 'string', format: 'binary' }

/** Request body of a delivery. The provider determines its format. */
const ANY_BODY = {
  required: true,
  content: { 'application/json': { schema: {} }, 'application/x-www-form-urlencoded': { schema: {} } },
}

function toRequestBody(body: RequestBody, names: NamedSchemas): Json {
  if (body.bytes) return ANY_BODY
  const shown = body.shown ?? body.json
  const { required = [] } = shown as { required?: string[] }
  return {
    required: required.length > 0,
    content: {
      'application/json': {
        schema: toSchema(shown, names),
        ...(body.example !== undefined && { example: body.example }),
      },
      ...(body.ndjson && { 'application/x-ndjson': { schema: toSchema(body.ndjson, names) } }),
      ...Object.fromEntries((body.files ?? []).map((type) => [type, { schema: FILE }])),
    },
  }
}

function successes(operation: Operation, names: NamedSchemas): Json {
  const { status, summary, reply: { json, text, stream, otherwise } = {} } = operation
  const content = {
    ...(json && { 'application/json': { schema: toSchema(json, names) } }),
    // A streamed alternative to JSON is described only in text. With two media types, generated clients could not type
    // the response.
    ...(stream && !json && { [stream]: { schema: { type: 'string', ...(stream === BYTES && { format: 'binary' }) } } }),
    ...(text && { [text]: { schema: { type: 'string' } } }),
  }
  const headers = replyHeaders(operation)
  return {
    [status]: {
      description: summary,
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(Object.keys(content).length > 0 && { content }),
    },
    ...(otherwise && {
      [otherwise.status]: {
        description: otherwise.when,
        ...(otherwise.json && { content: { 'application/json': { schema: toSchema(otherwise.json, names) } } }),
      },
    }),
  }
}

function replyHeaders({ reply, versioned, method, rated, retry }: Operation): Json {
  const text = (description: string) => ({ description, schema: { type: 'string' } })
  const number = (description: string) => ({ description, schema: { type: 'integer' } })
  return {
    ...(reply?.location && { Location: text('The path of the created resource.') }),
    ...(versioned && method !== 'DELETE' && { ETag: text('The version of the resource, for If-Match.') }),
    ...(retry === 'keyed' && { 'Idempotent-Replayed': text('`true` if this is a repeat of the first reply.') }),
    ...(rated && {
      'RateLimit-Limit': number('The limit per minute.'),
      'RateLimit-Remaining': number('The remaining part of the limit.'),
      'RateLimit-Reset': number('Seconds until the limit resets.'),
    }),
  }
}

/** Statuses of errors that the body reports in its own protocol, such as JSON-RPC. */
const PROTOCOL_STATUSES: ReadonlySet<number> = new Set([400, 404])

/** Returns one response per status, with an example for each of its faults. */
function failures(operation: Operation, schemas: NamedSchemas): Json {
  const names: FaultName[] = [...new Set([...commonFaults(operation), ...(operation.faults ?? [])])]
  const byStatus = new Map<number, FaultName[]>()
  for (const name of names) {
    const { status } = faultOf(name)
    byStatus.set(status, [...(byStatus.get(status) ?? []), name])
  }
  const error = { $ref: '#/components/schemas/Error' }
  const orError = (schema: TSchema) => ({ anyOf: [error, toSchema(schema, schemas)] })
  const { failure } = operation.reply ?? {}
  return Object.fromEntries(
    [...byStatus].map(([status, faults]) => {
      const isOutcome = operation.body?.refusal === 'outcome' && status === faultOf('bad_request').status
      if (isOutcome) return [status, toFailure(faults, orError(OutcomeRefusal))]
      return [status, toFailure(faults, failure && PROTOCOL_STATUSES.has(status) ? orError(failure) : error)]
    }),
  )
}

function toFailure(faults: FaultName[], schema: Json): Json {
  return {
    description: faults.map((name) => `\`${name}\`: ${faultOf(name).detail}`).join('\n\n'),
    content: {
      'application/json': {
        schema,
        examples: Object.fromEntries(faults.map((name) => [name, { value: exampleOf(name) }])),
      },
    },
  }
}

function exampleOf(name: FaultName): ErrorBody {
  const { code, reason, detail } = faultOf(name)
  const errors = [{ loc: ['body', 'name'], msg: 'This is required.', type: 'missing' }]
  return {
    error: code,
    ...(reason && { reason }),
    detail,
    request_id: 'req-1',
    ...(name === 'validation_error' && { errors }),
  }
}

function errorSchema(): Json {
  const problem = {
    type: 'object',
    required: ['loc', 'msg', 'type'],
    properties: {
      loc: { type: 'array', items: { type: ['string', 'integer'] }, description: 'Where, from the outside in.' },
      msg: { type: 'string', description: 'The violated rule in words.' },
      type: { type: 'string', description: 'The rule’s name.' },
    },
  }
  return {
    type: 'object',
    required: ['error', 'detail', 'request_id'],
    properties: {
      error: { type: 'string', enum: Object.keys(FAULTS) },
      reason: { type: 'string', enum: Object.keys(REASONS), description: 'A more specific stable code.' },
      detail: { type: 'string', description: 'A sentence that says what to do.' },
      request_id: { type: 'string' },
      errors: { type: 'array', items: problem, description: 'The violated rules, without the rejected values.' },
    },
  }
}

const BYTES = 'application/octet-stream'
