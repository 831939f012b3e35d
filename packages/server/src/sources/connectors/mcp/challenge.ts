import type { Challenge } from '../connector.ts'

const CHARS_MAX = 8 * 1024
/** A token, and the rest of a parameter: a quoted string or a token (RFC 9110 section 11). */
const TOKEN = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y
const VALUE = /\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/y
const SEPARATORS = /[\s,]*/y

/** Returns the first `Bearer` challenge of a response, or an empty one. Other schemes may precede it. */
export function challengeIn(headers: Headers): Challenge {
  const header = headers.get('www-authenticate') ?? ''
  if (header.length > CHARS_MAX) return {}
  const bearer = challengesOf(header).find(({ scheme }) => scheme === 'bearer')
  if (!bearer) return {}
  const { error, scope, resource_metadata: resourceMetadata } = bearer.params
  return { error, scope, resourceMetadata }
}

interface Parsed {
  scheme: string
  params: Partial<Record<string, string>>
}

/** Parses every challenge. A token without `=` starts a new one; parsing ends at the first syntax error. */
function challengesOf(header: string): Parsed[] {
  const found: Parsed[] = []
  let at = 0
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at
    const match = pattern.exec(header)
    if (match) at = pattern.lastIndex
    return match
  }
  for (;;) {
    take(SEPARATORS)
    const token = take(TOKEN)?.[0]?.toLowerCase()
    if (token === undefined) return found
    const value = take(VALUE)
    if (!value) found.push({ scheme: token, params: {} })
    else if (found.length === 0) return found
    else {
      const text = value[1]?.replace(/\\(.)/g, '$1') ?? value[2]
      found.at(-1)!.params[token] ??= text
    }
  }
}
