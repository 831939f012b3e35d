import { type Connector, ignored, mapped } from '../connector.ts'
import { isHmac } from '../hmac.ts'
import type { MappedRecord } from '../mapped-record.ts'
import { isThere, list, pick, text } from '../pick.ts'
import { type FieldMapping, mapFields, mappingProblem } from './field-mapping.ts'
import { guessRecord } from './guess.ts'

/** Any sender of JSON: by the mapping in adapter_config, else by the names of the fields. */
export const json: Connector = {
  providers: ['json', 'webhook', 'custom', 'http'],
  product: 'Any JSON',
  settings: { delivered: { mapping: { type: 'object', description: 'Where the fields of a record stand.' } } },
  forms: ['json', 'form'],
  takesLists: true,
  signature: {
    header: 'x-signature-256',
    verify: (secret, headers, body) => isHmac(secret, body, headers['x-signature-256']?.replace(/^sha256=/, '')),
  },
  eventId: ({ headers }) => headers['idempotency-key'],
  configProblem: ({ mapping }) => (mapping === undefined ? undefined : mappingProblem(mapping)),
  map: ({ body, settings }) => {
    const event = text(body, 'event') ?? text(body, 'type') ?? 'json'
    const { mapping } = settings.config
    if (mapping !== undefined) {
      if (mappingProblem(mapping)) return ignored(event, 'incomplete')
      return mapped(event, mapFields(mapping as FieldMapping, body))
    }
    const items = Array.isArray(body) ? body : isThere(body, 'records') ? list(body, 'records') : [body]
    return mapped(event, items.map(recordOf))
  },
}

/** A record that is in the contract's shape is taken as it is; of anything else a record is made. */
function recordOf(item: unknown): MappedRecord | undefined {
  const isShaped = text(item, 'external_id') !== undefined && typeof pick(item, 'type') === 'string'
  return isShaped ? (item as MappedRecord) : guessRecord(item)
}
