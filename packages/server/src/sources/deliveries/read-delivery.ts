import { Fault, invalid } from '../../base/fault.ts'
import type { RawBody } from '../../tenancy/handler.ts'
import type { BodyForm, Connector, Delivered } from '../connectors/connector.ts'
import type { DeliverySource } from './delivery-source.ts'

const FORMS: Record<string, BodyForm> = {
  'application/json': 'json',
  'application/x-www-form-urlencoded': 'form',
  'message/rfc822': 'mail',
}
const UTF8_ONLY = /^\s*charset\s*=\s*"?utf-?8"?\s*$/i

/**
 * The delivery that bytes hold. Throws `unsupported_media_type` for a form that the provider does not send, the faults
 * of a body for one that cannot be parsed, and `validation_error` for JSON that is no object.
 */
export function readDelivery(connector: Connector, source: DeliverySource, raw: RawBody, bytes: Buffer): Delivered {
  const settings = { config: source.config, accountId: source.accountId }
  return { headers: raw.headers, settings, body: bodyOf(connector, raw, bytes) }
}

function bodyOf(connector: Connector, raw: RawBody, bytes: Buffer): unknown {
  const form = formOf(raw.headers)
  if (!form || !connector.forms.includes(form)) throw new Fault('unsupported_media_type')
  if (form === 'mail') return new Uint8Array(bytes)
  const body = raw.json(form === 'form' ? payloadOf(bytes) : bytes)
  const isTaken = Array.isArray(body) ? connector.takesLists === true : typeof body === 'object' && body !== null
  if (!isTaken) throw invalid(['body'], 'Must be an object.', 'wrong_type')
  return body
}

function formOf({ 'content-type': declared = '', 'content-encoding': coding }: RawBody['headers']) {
  const [type = '', ...parameters] = declared.split(';')
  if (coding !== undefined && coding !== 'identity') return undefined
  if (!parameters.every((one) => UTF8_ONLY.test(one) || !/^\s*charset/i.test(one))) return undefined
  const name = type.trim().toLowerCase()
  return /^application\/[\w.-]+\+json$/.test(name) ? 'json' : FORMS[name]
}

/** Code hosts can be set to send their JSON as the one field of a form. */
function payloadOf(bytes: Buffer): Buffer {
  const payload = new URLSearchParams(bytes.toString('utf8')).get('payload')
  if (payload === null) throw new Fault('bad_request', { detail: 'The form has no field named payload.' })
  return Buffer.from(payload)
}
