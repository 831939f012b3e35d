const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:'])
/** Characters that end a URL in running text, or that a URL drops or encodes. */
const UNSAFE = /[\s<>"\p{Cc}]/u

/** Returns an http, https or mailto URL as a link; undefined otherwise, such as for `javascript:`. */
export function linkOf(url: string | null | undefined): string | undefined {
  if (!url || !URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  if (!SCHEMES.has(protocol)) return undefined
  return UNSAFE.test(url) ? href : url
}
