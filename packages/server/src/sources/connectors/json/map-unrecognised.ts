import type { Delivered, Mapped } from '../connector.ts'
import { text } from '../pick.ts'
import { TEXT, TITLE } from './guess.ts'
import { json } from './json.ts'

/**
 * What a body comes to that a product's own connector does not recognise: the records that the connector for any JSON
 * makes of it, without what looks like a credential; undefined for a body that says nothing in words.
 */
export async function mapUnrecognised(delivered: Delivered): Promise<Mapped | undefined> {
  const { body } = delivered
  if (typeof body !== 'object' || body === null || body instanceof Uint8Array || !saysSomething(body)) return undefined
  return json.map({ ...delivered, body: withoutCredentials(body) })
}

/** Parts of an event that tell where it happened and who caused it: what they say is not what the event says. */
const SURROUNDINGS = new Set([
  ...['repository', 'project', 'organization', 'installation', 'enterprise', 'team', 'workspace', 'group'],
  ...['sender', 'user', 'account', 'app', 'authorizations', 'headers', 'context'],
])
const TOLD = new Set([...TITLE.filter((name) => name !== 'name'), ...TEXT])
const DEPTH_MAX = 8
/** Values that are looked at; a body has a mebibyte. */
const VALUES_MAX = 10_000
/** A text of this many words is prose in any field; ids, addresses and times have fewer. */
const PROSE_WORDS = 4
/** Text enough to find so many words in. */
const PROSE_CHARS = 300
const WORD = /\p{L}/u

/** Whether anything in a body is there to be read: a field that is called as texts are, or a text of several words. */
function saysSomething(body: object): boolean {
  if (!Array.isArray(body) && text(body, 'name') !== undefined) return true
  let left = VALUES_MAX
  const says = (value: unknown, name: string, depth: number): boolean => {
    left -= 1
    if (left < 0 || depth > DEPTH_MAX) return false
    if (typeof value === 'string') return isTold(value, name)
    if (typeof value !== 'object' || value === null) return false
    return Object.entries(value).some(([key, inner]) => !SURROUNDINGS.has(key) && says(inner, key, depth + 1))
  }
  return says(body, '', 0)
}

function isTold(value: string, name: string): boolean {
  if (TOLD.has(name) && value.trim() !== '') return true
  const words = value.slice(0, PROSE_CHARS).split(/\s+/)
  return words.filter((word) => WORD.test(word)).length >= PROSE_WORDS
}

const CREDENTIAL = /(?:^|_)(?:token|secret|password|passwd|passphrase|signature|api_?key|private_?key)$/i

/** A copy without the fields that products put into events to prove themselves. */
function withoutCredentials(body: object): unknown {
  return JSON.parse(JSON.stringify(body), (key, value) =>
    typeof value === 'string' && CREDENTIAL.test(key) ? undefined : value,
  )
}
