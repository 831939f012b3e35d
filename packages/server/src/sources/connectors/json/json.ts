import { type Connector, type Delivered, ignored, type Mapped, mapped, sha256Signature } from '../connector.ts'
import { hasObject, list, pick, text } from '../pick.ts'
import type { MappedRecord } from '../to-record.ts'
import { type FieldMapping, mapFields, mappingProblem } from './field-mapping.ts'
import { CONTEXT_FIELDS, guessRecord, TEXT, TITLE } from './guess-record.ts'

/** Connector for any JSON. It uses the mapping in adapter_config, or else the names of the fields. */
export const json: Connector = {
  providers: ['json', 'webhook', 'custom', 'http'],
  product: 'Any JSON',
  settings: { delivered: { mapping: { type: 'object', description: 'Paths of the record fields in the payload.' } } },
  forms: ['json', 'form'],
  takesLists: true,
  signature: sha256Signature('x-signature-256'),
  eventId: ({ headers }) => headers['idempotency-key'],
  configProblem: ({ mapping }) => (mapping === undefined ? undefined : mappingProblem(mapping)),
  map: ({ body, settings }) => {
    const event = text(body, 'event') ?? text(body, 'type') ?? 'json'
    const { mapping } = settings.config
    if (mapping !== undefined) {
      if (mappingProblem(mapping)) return ignored(event, 'incomplete')
      return mapped(event, mapFields(mapping as FieldMapping, body))
    }
    const items = Array.isArray(body) ? body : hasObject(body, 'records') ? list(body, 'records') : [body]
    return mapped(event, items.map(recordOf))
  },
}

/** Returns a record that has the contract's shape unchanged, or else guesses the record. */
function recordOf(item: unknown): MappedRecord | undefined {
  const isShaped = text(item, 'external_id') !== undefined && typeof pick(item, 'type') === 'string'
  return isShaped ? (item as MappedRecord) : guessRecord(item)
}

/** Maps an unrecognized body like any JSON, without credentials. Returns undefined if it has no text. */
export async function mapUnrecognised(delivered: Delivered): Promise<Mapped | undefined> {
  const { body } = delivered
  if (typeof body !== 'object' || body === null || body instanceof Uint8Array || !hasText(body)) return undefined
  return json.map({ ...delivered, body: withoutCredentials(body) })
}

const TEXT_FIELDS = new Set([...TITLE.filter((name) => name !== 'name'), ...TEXT])
const DEPTH_MAX = 8
/** Maximum number of values that are inspected. */
const VALUES_MAX = 10_000
/** Minimum number of words in prose. Ids, addresses and times have fewer. */
const PROSE_WORDS = 4
/** Number of leading characters in which the words are counted. */
const PROSE_CHARS = 300
const WORD = /\p{L}/u

/** Returns true if a body contains text for people: a non-empty text field, or a value of several words. */
function hasText(body: object): boolean {
  if (!Array.isArray(body) && text(body, 'name') !== undefined) return true
  let left = VALUES_MAX
  const containsText = (value: unknown, name: string, depth: number): boolean => {
    left -= 1
    if (left < 0 || depth > DEPTH_MAX) return false
    if (typeof value === 'string') return isText(value, name)
    if (typeof value !== 'object' || value === null) return false
    return Object.entries(value).some(([key, inner]) => !CONTEXT_FIELDS.has(key) && containsText(inner, key, depth + 1))
  }
  return containsText(body, '', 0)
}

function isText(value: string, name: string): boolean {
  if (TEXT_FIELDS.has(name) && value.trim() !== '') return true
  const words = value.slice(0, PROSE_CHARS).split(/\s+/)
  return words.filter((word) => WORD.test(word)).length >= PROSE_WORDS
}

const CREDENTIAL = /(?:^|_)(?:token|secret|password|passwd|passphrase|signature|api_?key|private_?key)$/i

/** Returns a copy without string fields that are named like a credential. */
function withoutCredentials(body: object): unknown {
  return JSON.parse(JSON.stringify(body), (key, value) =>
    typeof value === 'string' && CREDENTIAL.test(key) ? undefined : value,
  )
}
