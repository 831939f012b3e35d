const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:'])
/** Characters that end a URL in running text, or that a URL drops or encodes. */
const UNSAFE = /[\s<>"\p{Cc}]/u

/**
 * Returns a URL as a link that is safe to open from an answer. Undefined for any scheme except http, https and mailto,
 * since a source can put a `javascript:` URL into its records.
 */
export function linkOf(url: string | null | undefined): string | undefined {
  if (!url || !URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  if (!SCHEMES.has(protocol)) return undefined
  return UNSAFE.test(url) ? href : url
}
