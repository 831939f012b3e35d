const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:'])
/** Matches characters that end a URL in running text, or that a URL parser drops or encodes. */
const UNSAFE = /[\s<>"\p{Cc}]/u

/**
 * Returns a URL that is safe as a link in an answer. Returns undefined for any scheme except http, https and mailto,
 * because a source can put a `javascript:` URL into its records.
 */
export function linkOf(url: string | null | undefined): string | undefined {
  if (!url || !URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  if (!SCHEMES.has(protocol)) return undefined
  return UNSAFE.test(url) ? href : url
}
