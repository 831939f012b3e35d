/** Something in a text that names one thing by its form: an address, a key, a handle, a path. */
export interface FoundIdentifier {
  /** Where it starts in the folded text. */
  readonly from: number
  readonly to: number
  /** Lower-case key, as `identifierKey` makes it; undefined for a compound that is only a term. */
  readonly key: string | undefined
  /** The whole, in lower case, as a term. */
  readonly term: string
}

const HINT = /[@#_/\\:.-]/
const FORMS =
  /https?:\/\/[^\s<>"'`)\]}]+|(?<![\p{L}\p{N}_.@/#])[@#][\p{L}\p{N}][\p{L}\p{N}_.-]*|[\p{L}\p{N}_]+(?:[-_./@:+\\]+[\p{L}\p{N}_]+)+|[\p{L}\p{N}]*_[\p{L}\p{N}_]*/gu
const EMAIL = /^[\p{L}\p{N}_][\p{L}\p{N}_.+-]*@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+$/u
const ISSUE_KEY = /^[a-z][a-z0-9]{1,9}-\d{1,9}$/
const PATH = /^(?:[^\s/]+\/)+[^\s/]*\.[a-z0-9]{1,8}$/
const TRAILING = /[.,;:!?_/\\-]+$/
/** Longer ones are blobs, not something a person asks for. */
const LENGTH_MAX = 200

function keyOf(form: string): string | undefined {
  if (form.startsWith('http://') || form.startsWith('https://')) return urlKey(form)
  if (form.startsWith('@') || form.startsWith('#')) return form
  if (EMAIL.test(form)) return `email:${form}`
  if (ISSUE_KEY.test(form)) return `key:${form}`
  return PATH.test(form) ? `path:${form}` : undefined
}

/** A URL's key: without scheme, `www.`, fragment and trailing slash, so that its usual spellings are one. */
export function urlKey(url: string): string {
  const bare = url
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/^www\./, '')
  return `url:${bare.replace(/#.*$/, '').replace(/\/+$/, '')}`
}

/** The identifiers and compounds of a folded text, in order. */
export function identifiersOf(folded: string): FoundIdentifier[] {
  if (!HINT.test(folded)) return []
  const found: FoundIdentifier[] = []
  for (const match of folded.matchAll(FORMS)) {
    const form = match[0].replace(TRAILING, '').toLowerCase()
    if (form.length < 2 || form.length > LENGTH_MAX) continue
    found.push({ from: match.index, to: match.index + form.length, key: keyOf(form), term: form })
  }
  return found
}
