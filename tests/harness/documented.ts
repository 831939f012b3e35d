import { type Operations, openApi } from '@cairnstore/contract'
import { Ajv, type ValidateFunction } from 'ajv'
import ajvFormats from 'ajv-formats'

/** A raw HTTP reply. */
export interface RawReply {
  status: number
  contentType: string
  payload: string
}

/** Returns how a reply differs from the OpenAPI document; undefined if it does not. */
export type Documented = (operationId: string, reply: RawReply) => string | undefined

interface Response {
  content?: Record<string, { schema: object }>
}

interface Document {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, Response> }>>
  components: object
}

/**
 * Returns a function that validates replies against the OpenAPI document of these operations: status, content type and
 * body schema.
 */
export function documentedBy(operations: Operations): Documented {
  const document = JSON.parse(JSON.stringify(openApi(operations, '0'))) as Document
  const responses = new Map(
    Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((each) => [each.operationId, each.responses] as const),
    ),
  )
  const ajv = new Ajv({ strict: false, allErrors: true })
  ajvFormats.default(ajv)
  const compiled = new Map<object, ValidateFunction>()
  const validatorOf = (schema: object) => {
    const known = compiled.get(schema) ?? ajv.compile({ ...schema, components: document.components })
    compiled.set(schema, known)
    return known
  }
  return (operationId, { status, contentType, payload }) => {
    const response = responses.get(operationId)?.[String(status)]
    if (response === undefined) return `${status} is not documented`
    const [type = ''] = contentType.split(';')
    const content = response.content?.[type]
    if (content === undefined) {
      return response.content === undefined && payload === '' ? undefined : `${status} came as "${type}"`
    }
    if (type !== 'application/json') return undefined
    const validate = validatorOf(content.schema)
    return validate(JSON.parse(payload)) ? undefined : `${status} breaks its schema: ${ajv.errorsText(validate.errors)}`
  }
}
