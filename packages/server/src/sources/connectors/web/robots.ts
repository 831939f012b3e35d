/** The rules of a robots.txt for this service (RFC 9309). */
export type Robots = ReturnType<typeof parseRobots>

/** Product token of this service in robots.txt and in its `User-Agent` header. */
export const USER_AGENT = 'Cairn'
/** Number of characters that are parsed. RFC 9309 requires at least 500 KiB. */
const CHARS_MAX = 512 * 1024

interface RobotsRule {
  pattern: string
  isAllowed: boolean
}

/** Parses a robots.txt. The rules for `USER_AGENT` apply, or else those for all robots. */
export function parseRobots(content: string) {
  const groups = new Map<string, RobotsRule[]>()
  let group: RobotsRule[][] = []
  let isNaming = false
  for (const line of content.slice(0, CHARS_MAX).split(/\r\n|\r|\n/)) {
    const [name = '', ...rest] = line.split('#', 1)[0]!.split(':')
    const value = rest.join(':').trim()
    const field = name.trim().toLowerCase()
    if (field === 'user-agent') {
      const agent = value.toLowerCase()
      const known = groups.get(agent) ?? []
      groups.set(agent, known)
      group = isNaming ? [...group, known] : [known]
    } else if (value !== '' && (field === 'allow' || field === 'disallow')) {
      const rule = { pattern: encoded(value), isAllowed: field === 'allow' }
      for (const rules of group) rules.push(rule)
    }
    isNaming = field === 'user-agent' || (isNaming && field === '')
  }
  const own = groups.get(USER_AGENT.toLowerCase()) ?? groups.get('*') ?? []
  return {
    /** Returns true if the path, with its query, may be fetched. */
    allows: (path: string) => isAllowedBy(own, path),
  }
}

/** Returns the pattern with non-ASCII characters percent-encoded, as they are in URLs. */
function encoded(pattern: string): string {
  return pattern.replace(/[\u0080-\uffff]+/g, (chars) => encodeURI(Buffer.from(chars).toString()))
}

/** Returns the verdict of the longest matching rule. `Allow` wins between two of the same length. */
function isAllowedBy(rules: readonly RobotsRule[], path: string): boolean {
  let best: RobotsRule | undefined
  for (const rule of rules) {
    const gain = rule.pattern.length - (best?.pattern.length ?? 0)
    if ((gain > 0 || (gain === 0 && rule.isAllowed)) && matches(rule.pattern, path)) best = rule
  }
  return best?.isAllowed ?? true
}

/** Matches `*` greedily from left to right, which takes linear time for any pattern. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const [first = '', ...others] = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  if (!path.startsWith(first)) return false
  let at = first.length
  const last = isWhole ? others.pop() : undefined
  for (const part of others) {
    const found = path.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  if (!isWhole) return true
  return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last)
}
