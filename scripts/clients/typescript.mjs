import { nameIn } from './methods-of.mjs'

/** @typedef {import('./methods-of.mjs').Method} Method @typedef {import('./methods-of.mjs').Schema} Schema */

const HEAD = '// Made by `npm run clients` of the contract. A test compares it.\n'
const PRIMITIVES = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' }

/**
 * Returns the generated files of the TypeScript client, by name.
 * @param {Method[]} methods @param {any} document @returns {Record<string, string>}
 */
export function typescriptFiles(methods, document) {
  return {
    'types.ts': typesFile(document.components.schemas),
    'methods.ts': methodsFile(methods, document.components.schemas),
    'table.ts': tableFile(methods),
  }
}

/** @param {Record<string, Schema>} schemas */
function typesFile(schemas) {
  const all = Object.entries(schemas).map(([name, schema]) => {
    const type = typeOf(schema)
    const declared = type.startsWith('{') ? `interface ${named(name)} ${type}` : `type ${named(name)} = ${type}`
    return `${comment(schema.description, '')}export ${declared}\n`
  })
  return `${HEAD}\n${all.join('\n')}`
}

/** Returns the TypeScript name of a schema. `Error` would shadow the global. @param {string} name */
function named(name) {
  return name === 'Error' ? 'ErrorBody' : name
}

/** @param {string | undefined} text @param {string} indent */
function comment(text, indent) {
  return text ? `${indent}/** ${text.replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n` : ''
}

/** @param {Schema} schema @param {string} [indent] @returns {string} */
function typeOf(schema, indent = '') {
  const name = nameIn(schema)
  if (name) return named(name)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((/** @type {unknown} */ each) => literal(each)).join(' | ')
  if (schema.anyOf && !schema.type) return union(schema.anyOf.map((/** @type {Schema} */ each) => typeOf(each, indent)))
  const types = [schema.type ?? []].flat()
  return types.length === 0 ? 'unknown' : union(types.map((type) => plainType(type, schema, indent)))
}

/** @param {unknown} value */
function literal(value) {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value)
}

/** @param {string[]} types */
function union(types) {
  return [...new Set(types)].join(' | ')
}

/** @param {string} type @param {Schema} schema @param {string} indent @returns {string} */
function plainType(type, schema, indent) {
  if (type === 'array') {
    const item = schema.items ? typeOf(schema.items, indent) : 'unknown'
    return /^[\w.]+$/.test(item) ? `${item}[]` : `Array<${item}>`
  }
  if (type !== 'object') return PRIMITIVES[/** @type {keyof typeof PRIMITIVES} */ (type)]
  if (schema.properties && Object.keys(schema.properties).length > 0) return objectType(schema, indent)
  const [pattern] = Object.values(schema.patternProperties ?? {})
  const value = pattern ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined)
  return `Record<string, ${value ? typeOf(value, indent) : 'unknown'}>`
}

/** @param {Schema} schema @param {string} indent */
function objectType({ properties, required = [], additionalProperties }, indent) {
  const inner = `${indent}  `
  const fields = Object.entries(properties).map(([name, schema]) => {
    const shown = /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`
    const mark = required.includes(name) ? '' : '?'
    return `${comment(schema.description, inner)}${inner}${shown}${mark}: ${typeOf(schema, inner)}\n`
  })
  const more = additionalProperties === true ? `${inner}[name: string]: unknown\n` : ''
  return `{\n${fields.join('')}${more}${indent}}`
}

/** @param {Method[]} methods @param {Record<string, Schema>} schemas */
function methodsFile(methods, schemas) {
  const lines = methods.map((method) => {
    const type = askedType(method)
    const isNeeded = method.params.some((field) => isGiven(field, method)) || needsMore(method)
    const input = type === '' ? 'input?: Nothing' : `input${isNeeded ? '' : '?'}: ${type}`
    const doc = comment(`Streams the answer: ${method.summary}`, '  ')
    const reply = typeOf(method.reply ?? {})
    const streamed = method.isStreamed
      ? `${doc}  ${streamName(method.id)}(${input}, options?: CallOptions): AnswerStream<${reply}>\n`
      : ''
    const own = `  ${method.id}(${input}, options?: CallOptions): ${replyType(method)}\n`
    return `${comment(method.summary, '  ')}${own}${streamed}`
  })
  const text = lines.join('')
  const used = Object.keys(schemas)
    .map(named)
    .filter((name) => new RegExp(`\\b${name}\\b`).test(text))
  return `${HEAD}import type { AnswerStream } from '../answer-stream.ts'
import type { Content, Lines, Nothing, Several } from '../content.ts'
import type { Paged } from '../paged.ts'
import type { CallOptions } from '../request.ts'
import type {
${used.map((name) => `  ${name},\n`).join('')}} from './types.ts'

/** Every operation of the API. What it takes is one object: parts of path, query and body, as on the wire. */
export interface Methods {
${text}}
`
}

/** @param {string} id */
export function streamName(id) {
  return `stream${id[0]?.toUpperCase()}${id.slice(1)}`
}

/** @param {import('./methods-of.mjs').Field} field @param {Method} method */
function isGiven({ name }, { isInside }) {
  return !(isInside && name === 'sandbox_id')
}

/** @param {Method} method */
function needsMore({ id, query, body, isFile }) {
  const required = (body?.required ?? []).filter((/** @type {string} */ name) => !isFilled(id, name))
  return isFile || query.some(({ required }) => required) || required.length > 0
}

/** Returns true if the client fills in a field: the owner of a new sandbox. @param {string} id @param {string} name */
function isFilled(id, name) {
  return id === 'createSandbox' && name === 'owner_id'
}

/** @param {Method} method */
function askedType(method) {
  const { id, params, query, body, bodyName, lines, isFile } = method
  const own = [...params.map((field) => ({ ...field, required: isGiven(field, method) })), ...query].map(
    ({ name, schema, required }) => `${name}${required ? '' : '?'}: ${typeOf(schema, '  ')}`,
  )
  if (isFile) own.push('content: Content', 'content_type?: string')
  if (lines) own.push(`${lines.name}: Several<${typeOf(lines.item)}>`)
  const mine = own.length > 0 ? `{ ${own.join('; ')} }` : ''
  if (lines || !body) return mine
  const name = bodyName ? named(bodyName) : typeOf(body, '  ')
  const filled = id === 'createSandbox' ? `Omit<${name}, 'owner_id'> & { owner_id?: string }` : name
  return mine ? `${mine} & ${filled}` : filled
}

/** @param {Method} method */
function replyType({ form, reply, otherwise, page }) {
  if (form === 'lines') return 'Lines<Record<string, unknown>>'
  if (form === 'text') return 'Promise<string>'
  if (form === 'bytes') return 'Promise<Blob>'
  if (page) return `Paged<${typeOf(reply ?? {})}, ${typeOf(page.item)}>`
  const types = [reply, otherwise].filter((each) => each !== undefined).map((each) => typeOf(each, '  '))
  return `Promise<${types.length > 0 ? union(types) : 'void'}>`
}

/** @param {Method[]} methods */
function tableFile(methods) {
  const rows = methods.map((method) => {
    const { id, verb, path, query, body, page, isFile, lines } = method
    const isBoth = query.length > 0 && (body || isFile)
    const extra = [isBoth ? query.map(({ name }) => name).join(' ') : '', page?.field ?? '', lines?.name ?? '']
    while (extra.at(-1) === '') extra.pop()
    const row = [verb, path, traitsOf(method), ...extra].map((each) => `'${each}'`).join(', ')
    return `  ${id}: [${row}],\n`
  })
  return `${HEAD}import type { Row } from '../request.ts'

/** What a request of each operation is made of. */
export const TABLE = {
${rows.join('')}} satisfies Record<string, Row>
`
}

/** @param {Method} method the letters of \`Trait\` in packages/client/src/request.ts */
function traitsOf({ retry, isOpen, isContent, isInside, query, body, isFile, form, isStreamed }) {
  return [
    retry[0],
    isOpen ? 'o' : '',
    query.some(({ name }) => name === 'as_user') ? 'u' : '',
    isContent ? 'c' : '',
    isInside ? 'i' : '',
    body ? 'b' : '',
    isFile ? 'f' : '',
    isStreamed ? 'e' : '',
    form === 'lines' ? 'l' : '',
    form === 'text' ? 't' : '',
    form === 'bytes' ? 'd' : '',
  ].join('')
}
