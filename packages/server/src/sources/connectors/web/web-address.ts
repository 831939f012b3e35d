import { isLoopback } from '../../../base/safe-fetch.ts'
import { text } from '../pick.ts'
import { pageAddress } from './sitemap.ts'

/** Address of a page, or of the sitemap of a site. */
export interface WebAddress {
  readonly isSite: boolean
  readonly address: string
}

/**
 * Returns the address in a source's settings; undefined unless there is exactly one, with https. Loopback may have
 * http, because only a server that is configured for development calls it.
 */
export function webAddress(config: Readonly<Record<string, unknown>>): WebAddress | undefined {
  const page = text(config, 'url')
  const sitemap = text(config, 'sitemap')
  const given = page ?? sitemap
  if (given === undefined || (page !== undefined && sitemap !== undefined) || !URL.canParse(given)) return undefined
  const { protocol, origin, hostname } = new URL(given)
  const address = pageAddress(given, origin)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  return address && isSafe ? { isSite: page === undefined, address } : undefined
}
