const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:'])
/** Characters that end an address in a sentence, or that a URL drops or encodes. */
const UNSAFE = /[\s<>"\p{Cc}]/u

/**
 * Returns an address as a link that can be followed from an answer. Undefined for any scheme but http, https and
 * mailto: a source can write `javascript:` into its records.
 */
export function linkOf(url: string | null | undefined): string | undefined {
  if (!url || !URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  if (!SCHEMES.has(protocol)) return undefined
  return UNSAFE.test(url) ? href : url
}
