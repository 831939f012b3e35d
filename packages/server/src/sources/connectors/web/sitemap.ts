import { PullFailure } from '../../../base/pull-failure.ts'
import { createYieldPoint } from '../../../base/yield-point.ts'
import { openXml } from '../../../documents/xml.ts'

/** Addresses in one file of a sitemap. */
interface SitemapFile {
  /** Addresses of pages, with the time of the last change as the file states it. */
  readonly pages: ReadonlyMap<string, string | undefined>
  /** Addresses of further files. */
  readonly files: readonly string[]
}

/** All pages of a site that its sitemap names. */
export interface Sitemap {
  readonly pages: ReadonlyMap<string, string | undefined>
  /** True if every file of the sitemap was read completely. A page that it does not list is then gone. */
  readonly isComplete: boolean
}

const FILES_MAX = 50
const PAGES_LISTED_MAX = 50_000
/** Maximum size of an unpacked file: the limit of the sitemaps protocol. */
const BYTES_MAX = 50 * 1024 * 1024
const CHUNK_BYTES = 64 * 1024
const SLICE_MS = 5
const GZIP = [0x1f, 0x8b]

/**
 * Reads a sitemap and the sitemaps that it lists, in the order of the file. Only addresses of its own host are
 * returned. Throws the PullFailure of the first file. A further file that cannot be read makes the result incomplete.
 */
export async function readSitemap(
  address: string,
  fetchBytes: (address: string) => Promise<Uint8Array>,
): Promise<Sitemap> {
  const { origin } = new URL(address)
  const pages = new Map<string, string | undefined>()
  const waiting = [address]
  const seen = new Set(waiting)
  let isComplete = true
  for (let count = 0; waiting.length > 0; count += 1) {
    if (count >= FILES_MAX || pages.size >= PAGES_LISTED_MAX) return { pages, isComplete: false }
    const file = await parsedFile(await fetchFile(waiting.shift()!, count === 0, fetchBytes))
    if (!file) {
      if (count === 0) throw new PullFailure('unreadable')
      isComplete = false
    }
    for (const [page, changedAt] of file?.pages ?? []) {
      const known = pageAddress(page, origin)
      if (known) pages.set(known, changedAt)
    }
    for (const next of file?.files ?? []) {
      const known = pageAddress(next, origin)
      if (known && !seen.has(known)) waiting.push(known)
      if (known) seen.add(known)
    }
  }
  return { pages, isComplete: isComplete && pages.size < PAGES_LISTED_MAX }
}

async function fetchFile(address: string, isFirst: boolean, fetchBytes: (address: string) => Promise<Uint8Array>) {
  try {
    return await fetchBytes(address)
  } catch (cause) {
    if (isFirst || !(cause instanceof PullFailure)) throw cause
    return undefined
  }
}

/** Returns the normalized address of a page without its fragment; undefined if it is not on this site. */
export function pageAddress(address: string, origin: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  url.hash = ''
  return url.origin === origin && !url.username && !url.password && url.href.length <= ADDRESS_CHARS_MAX
    ? url.href
    : undefined
}

/** Maximum length of a page's address, so that it fits into an external id unchanged. */
const ADDRESS_CHARS_MAX = 500

/** Parses a file; undefined if it is not a sitemap, or was cut off. */
async function parsedFile(packed: Uint8Array | undefined): Promise<SitemapFile | undefined> {
  if (!packed) return undefined
  const isPacked = GZIP.every((byte, at) => packed[at] === byte)
  const bytes = isPacked ? await unpacked(packed) : packed
  if (!bytes || !END.test(Buffer.from(bytes.subarray(-END_BYTES)).toString('latin1'))) return undefined
  const pages = new Map<string, string | undefined>()
  const files: string[] = []
  // Names of the open elements, from the root. Extensions also have `loc` elements, deeper in the tree.
  const path: string[] = []
  let values: Record<string, string> = {}
  const xml = openXml({
    open: (name) => {
      path.push(name)
      if (path.length === ENTRY_DEPTH) values = {}
    },
    text: (text) => {
      const field = path.at(-1)!
      const before = values[field] ?? ''
      if (path.length === ENTRY_DEPTH + 1 && before.length <= ADDRESS_CHARS_MAX) values[field] = before + text
    },
    close: (name) => {
      const isEntry = path.length === ENTRY_DEPTH
      path.pop()
      const address = values.loc?.trim()
      if (!isEntry || !address) return
      if (name === 'url') pages.set(address, values.lastmod?.trim())
      else if (name === 'sitemap') files.push(address)
    },
  })
  const yieldPoint = createYieldPoint(SLICE_MS)
  try {
    for (let at = 0; at < bytes.length && pages.size < PAGES_LISTED_MAX; at += CHUNK_BYTES) {
      xml.write(bytes.subarray(at, at + CHUNK_BYTES))
      await yieldPoint()
    }
    xml.end()
  } catch {
    return undefined
  }
  return { pages, files }
}

/** Returns the unpacked bytes; undefined if they are damaged, or more than `BYTES_MAX`. */
async function unpacked(packed: Uint8Array): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of new Blob([new Uint8Array(packed)])
      .stream()
      .pipeThrough(new DecompressionStream('gzip'))) {
      size += chunk.length
      if (size > BYTES_MAX) return undefined
      chunks.push(chunk)
    }
  } catch {
    return undefined
  }
  return Buffer.concat(chunks)
}

/** Depth of `url` and `sitemap` elements, below `urlset` and `sitemapindex`. */
const ENTRY_DEPTH = 2
/** End tags of complete files. A truncated file does not list all pages. */
const END = /<\/(?:[\w-]+:)?(?:urlset|sitemapindex)\s*>/
const END_BYTES = 1_024
