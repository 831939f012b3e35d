/**
 * @typedef {Record<string, any>} Schema part of JSON Schema that the document uses
 * @typedef {{ name: string, schema: Schema, required: boolean }} Field
 * @typedef {object} Method an operation as a client method
 * @property {string} id
 * @property {string} verb the HTTP method
 * @property {string} path with parameters as `:name`
 * @property {string} summary
 * @property {'safe' | 'keyed' | 'ask'} retry
 * @property {boolean} isOpen true if it needs no key
 * @property {boolean} isContent true if a customer-managed key of the sandbox is sent with it
 * @property {boolean} isInside true if the client's own sandbox is the default
 * @property {Field[]} params
 * @property {Field[]} query
 * @property {Schema | undefined} body the JSON body
 * @property {string | undefined} bodyName the schema's name
 * @property {{ name: string, item: Schema } | undefined} lines body field that can be streamed as lines
 * @property {boolean} isFile true if the body can be any content
 * @property {Schema | undefined} reply
 * @property {Schema | undefined} otherwise
 * @property {number | undefined} otherwiseStatus
 * @property {'json' | 'text' | 'lines' | 'bytes' | 'none'} form of the reply
 * @property {boolean} isStreamed true if the reply can be streamed
 * @property {{ field: string, item: Schema } | undefined} page field of a page that holds its rows
 */

const PARAMETER = /:(\w+)/g
const JSON_TYPE = 'application/json'

/**
 * Returns the client methods of these operations, in order.
 * @param {Record<string, any>} operations of the contract
 * @param {Record<string, any>} document OpenAPI, made of the same
 * @returns {Method[]}
 */
export function methodsOf(operations, document) {
  return Object.entries(operations).map(([id, operation]) => methodOf(id, operation, document))
}

/** @returns {Method} @param {string} id @param {any} operation @param {any} document */
function methodOf(id, operation, document) {
  const { method, path, tag, summary, access, retry, content, body, reply } = operation
  const described = document.paths[path.replace(PARAMETER, '{$1}')][method.toLowerCase()]
  const json = described.requestBody?.content[JSON_TYPE]?.schema
  const resolved = json && resolve(json, document)
  const isFile = Boolean(body?.files || body?.bytes)
  const given = described.parameters.filter((/** @type {any} */ { in: place }) => place === 'query').map(fieldOf)
  const replied = described.responses[operation.status].content?.[JSON_TYPE]?.schema
  const otherwise = reply?.otherwise && described.responses[reply.otherwise.status].content?.[JSON_TYPE]?.schema
  const made = {
    id,
    verb: method,
    path,
    summary,
    retry,
    isOpen: access === 'public',
    isContent: content !== undefined,
    isInside: tag !== 'Sandboxes' && path.includes(':sandbox_id') && !path.startsWith('/api/v1/admin'),
    params: described.parameters.filter((/** @type {any} */ { in: place }) => place === 'path').map(fieldOf),
    query: given,
    body: isFile ? undefined : resolved,
    bodyName: isFile ? undefined : nameIn(json),
    lines: isFile || !body?.ndjson ? undefined : linesOf(resolved),
    isFile,
    reply: replied,
    otherwise,
    otherwiseStatus: reply?.otherwise?.status,
    form: formOf(reply),
    isStreamed: Boolean(reply?.json && reply.stream),
    page: pageOf(replied && resolve(replied, document)),
  }
  assertOneOfEach(/** @type {Method} */ (made))
  return /** @type {Method} */ (made)
}

/** @param {{ name: string, schema: Schema, required: boolean, description?: string }} parameter @returns {Field} */
function fieldOf({ name, schema, required, description }) {
  return { name, required, schema: { ...schema, ...(description && { description }) } }
}

/** @param {any} reply @returns {Method['form']} */
function formOf(reply) {
  if (reply?.json) return 'json'
  if (reply?.stream === 'application/octet-stream') return 'bytes'
  if (reply?.stream) return 'lines'
  return reply?.text ? 'text' : 'none'
}

/** @param {Schema} body @returns {{ name: string, item: Schema }} */
function linesOf({ properties }) {
  const [[name, { items }], ...others] = /** @type {[[string, Schema]]} */ (Object.entries(properties))
  if (others.length > 0)
    throw new Error('A body that may be sent as lines must have exactly one field, which lists them.')
  return { name, item: items }
}

/** @param {Schema | undefined} reply */
function pageOf(reply) {
  const { properties = {} } = reply ?? {}
  if (!('next_cursor' in properties)) return undefined
  const [field, { items }] = Object.entries(properties).find(([, { type }]) => type === 'array') ?? ['', { items: {} }]
  return { field, item: items }
}

/** Throws if a name occurs twice, because callers pass all inputs in one object. @param {Method} method */
function assertOneOfEach({ id, params, query, body }) {
  const names = [...params, ...query].map(({ name }) => name).concat(Object.keys(body?.properties ?? {}))
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice) throw new Error(`${id} has "${twice}" in two places. Rename one of them.`)
}

/** @param {Schema | undefined} schema @returns {string | undefined} */
export function nameIn(schema) {
  return schema?.$ref?.slice('#/components/schemas/'.length)
}

/** @param {Schema} schema @param {any} document @returns {Schema} */
export function resolve(schema, document) {
  const name = nameIn(schema)
  return name === undefined ? schema : document.components.schemas[name]
}
