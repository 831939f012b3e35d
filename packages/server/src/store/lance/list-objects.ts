import { timeoutSignal } from '../../base/timeout-signal.ts'
import { openS3 } from './s3.ts'

/** How long the store may take for one page of a listing. */
const PAGE_MS_MAX = 30_000
/** Pages of a thousand: more objects than any sandbox within its limits has. */
const PAGES_MAX = 10_000
const NOT_FOUND = 404

/**
 * The names of the objects below a sandbox's folder in an S3-compatible store, those that start with `prefix` in it. A
 * bucket that is not there has none.
 */
export async function* listNames(folder: Parameters<typeof openS3>[0], prefix: string): AsyncGenerator<string> {
  const s3 = openS3(folder)
  const address = new URL(s3.bucket)
  address.searchParams.set('list-type', '2')
  address.searchParams.set('prefix', `${s3.prefix}${prefix}`)
  for (let page = 0; page < PAGES_MAX; page++) {
    const reply = await s3.askAt(address, { signal: timeoutSignal(PAGE_MS_MAX) })
    const listing = await reply.text()
    if (reply.status === NOT_FOUND && listing.includes('<Code>NoSuchBucket</Code>')) return
    if (!reply.ok) throw new Error(`The object store answered ${reply.status} to a listing.`)
    for (const [, key] of listing.matchAll(/<Key>([^<]*)<\/Key>/g)) yield unescapeXml(key!).slice(s3.prefix.length)
    const next = /<NextContinuationToken>([^<]*)</.exec(listing)?.[1]
    if (!next) return
    address.searchParams.set('continuation-token', unescapeXml(next))
  }
}

function unescapeXml(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}
