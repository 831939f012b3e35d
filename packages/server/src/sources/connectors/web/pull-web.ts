import { PULL_FAILURES, PullFailure, type PullFailureReason } from '../../../base/pull-failure.ts'
import { Refusal, type RefusalReason } from '../../../documents/document.ts'
import type { PulledPage, PullRequest } from '../connector.ts'
import { openDocumentMapper } from '../documents/map-document.ts'
import { moment } from '../pick.ts'
import { type MappedRecord, withdrawal } from '../to-record.ts'
import { type FetchedPage, openSite, type Site, type Validators } from './open-site.ts'
import { pageAddress, readSitemap, type Sitemap } from './sitemap.ts'
import { webAddress } from './web-address.ts'

/** Read position: what is stored of each page, by its address. */
interface WebCursor {
  /** Number of the current round. In a round each page is read at most once. */
  readonly round: number
  /** True until the round has read all pages. */
  readonly isOpen: boolean
  /** True if the round reads unchanged pages again. */
  readonly isFull: boolean
  /** Bytes that the round has read. */
  readonly bytes: number
  readonly pages: Readonly<Record<string, StoredPage>>
}

interface StoredPage extends Validators {
  /** The last round that has seen the page. */
  readonly round: number
  /** Number of its records. */
  readonly parts: number
}

/** Maximum number of pages of a site. */
export const WEB_PAGES_MAX = 1_000
/** Maximum number of bytes that one round reads. */
const ROUND_BYTES_MAX = 256 * 1024 * 1024
/** Maximum number of records of one page. Further parts of its text are dropped. */
const PARTS_MAX = 50
/** Maximum pages and characters per batch. Pages are stored in batches, because each batch writes the whole cursor. */
const BATCH_PAGES = 20
const BATCH_CHARS = 1024 * 1024
/** Consecutive failures of the network after which the site is considered down. */
const FAILURES_IN_ROW_MAX = 5
const OF_NETWORK: readonly PullFailureReason[] = ['unreachable', 'timeout']
const RECORD_TYPE = 'document'
/** Failures that concern the whole site. After any other failure, the pull continues with the next page. */
const OF_SITE: readonly PullFailureReason[] = ['rate_limited', 'blocked_address', 'misconfigured']
const OVER_LIMIT = `Only the first ${WEB_PAGES_MAX} pages of a site, and 256 MiB of them, are read.`

/**
 * Reads the page or the site of a source. Pages that have not changed since the last pull are not sent again. Deletes
 * pages that are gone (404 or 410) or that a complete sitemap no longer lists. No failure deletes a page. An
 * interrupted pull continues with the pages that it has not read.
 */
export async function* pullWeb(request: PullRequest): AsyncGenerator<PulledPage> {
  const { documents, settings } = request
  const target = webAddress(settings.config)
  if (!target || !documents) throw new PullFailure('misconfigured')
  const site = openSite(request)
  const round = openRound(request)
  const { isSite, address } = target
  const listed = isSite ? await sitemapOf(address, site) : { pages: new Map([[address, undefined]]), isComplete: true }
  const { origin } = new URL(address)
  const isWithin = (at: string) => !isSite || pageAddress(at, origin) !== undefined
  let inRow = 0
  let latest: PullFailure | undefined
  for (const page of round.unread(listed)) {
    try {
      const outcome = await site.fetchPage(page, round.validatorsOf(page), isWithin)
      inRow = 0
      if (outcome === 'unchanged') round.markRead(page)
      else if (outcome === 'gone') round.remove(page)
      else round.add(page, outcome, await recordsOf(page, outcome, { documents, now: request.now, listed }))
    } catch (cause) {
      latest = failureOf(cause)
      inRow = OF_NETWORK.includes(latest.reason) ? inRow + 1 : 0
      const isDown = inRow >= FAILURES_IN_ROW_MAX
      if (isDown || !isSite || OF_SITE.includes(latest.reason)) {
        yield round.stop(isDown || !isSite)
        throw latest
      }
      round.fail(page, latest)
    }
    if (round.isFilled()) yield round.take()
  }
  yield round.end(listed)
  if (latest && round.isEmpty()) throw latest
}

async function sitemapOf(address: string, site: Site): Promise<Sitemap> {
  const { origin } = new URL(address)
  const listed = await readSitemap(address, async (file) => {
    const outcome = await site.fetchPage(file, {}, (at) => pageAddress(at, origin) !== undefined)
    if (typeof outcome === 'string') throw new PullFailure('not_found')
    return outcome.bytes
  })
  // A sitemap without pages is a mistake rather than an empty site.
  if (listed.pages.size === 0) throw new PullFailure('unreadable')
  return listed
}

/** Converts an error to the failure of a page. Rethrows any other error. */
function failureOf(cause: unknown): PullFailure {
  if (cause instanceof PullFailure) return cause
  if (!(cause instanceof Refusal)) throw cause
  return new PullFailure(TEXTLESS.includes(cause.reason) ? 'no_text' : 'unreadable', { cause })
}

const TEXTLESS: readonly RefusalReason[] = ['no_text', 'empty_file']

interface PageReading extends Pick<PullRequest, 'now'> {
  documents: NonNullable<PullRequest['documents']>
  listed: Sitemap
}

/** Returns the records of a page: one for each part of its text. Throws `unreadable` for a table or a calendar. */
async function recordsOf(
  id: string,
  page: FetchedPage,
  { documents, listed, now }: PageReading,
): Promise<MappedRecord[]> {
  const { address, bytes, type, validators } = page
  const toRecord = openDocumentMapper({ path: undefined, id, scope: 'web' })
  const changedAt = changeTime(validators.modified, now) ?? moment(listed.pages.get(id))
  const name = new URL(address).pathname.split('/').at(-1)!
  const records: MappedRecord[] = []
  for await (const item of documents.read({ name, type, bytes })) {
    const record = toRecord(item)
    if (item.kind !== 'head' && item.kind !== 'part') throw new PullFailure('unreadable')
    if (!record) continue
    const at = record.occurred_at ?? changedAt
    records.push({ ...record, url: address, ...(at && { occurred_at: at }) })
    if (records.length >= PARTS_MAX) break
  }
  if (records.length === 0) throw new PullFailure('no_text')
  return records
}

/** Maximum age of a page that was generated for its request. Its time says nothing about its content. */
const GENERATED_MS = 60_000

function changeTime(modified: string | undefined, now: Date): string | undefined {
  const ms = Date.parse(modified ?? '')
  return ms < now.getTime() - GENERATED_MS ? new Date(ms).toISOString() : undefined
}

/** Continues the round of the cursor or begins the next one. Collects the records and failures to store. */
function openRound({ cursor, since }: Pick<PullRequest, 'cursor' | 'since'>) {
  const last = cursor as unknown as WebCursor | undefined
  const isContinued = last?.isOpen === true && since === undefined
  const number = isContinued ? last.round : (last?.round ?? 0) + 1
  const isFull = isContinued ? last.isFull : since !== undefined
  const pages: Record<string, StoredPage> = { ...last?.pages }
  let bytes = isContinued ? last.bytes : 0
  let handled = 0
  let chars = 0
  let records: MappedRecord[] = []
  let failures: Failure[] = []
  const withdraw = (page: string, from: number) => {
    const to = pages[page]?.parts ?? 0
    for (let part = from; part <= to; part += 1) {
      records.push(withdrawal(part === 1 ? page : `${page}#part ${part}`, RECORD_TYPE))
    }
  }
  const mark = (page: string) => {
    handled += 1
    const known = pages[page]
    if (known) pages[page] = { ...known, round: number }
  }
  const fail = (page: string, reason: string, detail: string) => {
    mark(page)
    failures.push({ external_id: page, reason, detail })
  }
  const remove = (page: string) => {
    handled += 1
    withdraw(page, 1)
    delete pages[page]
  }
  const take = (isOpen = true): PulledPage => {
    const taken = { records, failures, cursor: { round: number, isOpen, isFull, bytes, pages: { ...pages } } }
    records = []
    failures = []
    handled = 0
    chars = 0
    return taken
  }
  return {
    /** Yields the pages that this round has not read, known ones first, within the limits. */
    *unread({ pages: listed }: Sitemap): Generator<string> {
      const known = [...listed.keys()].filter((page) => Object.hasOwn(pages, page))
      const others = [...listed.keys()].filter((page) => !Object.hasOwn(pages, page))
      const room = Math.max(0, WEB_PAGES_MAX - Object.keys(pages).length)
      for (const page of [...known, ...others.slice(0, room)]) {
        if (pages[page]?.round === number) continue
        if (bytes < ROUND_BYTES_MAX) yield page
        else fail(page, 'over_limit', OVER_LIMIT)
      }
      const left = others[room]
      if (left !== undefined) fail(left, 'over_limit', OVER_LIMIT)
    },
    validatorsOf: (page: string): Validators => (isFull ? {} : (pages[page] ?? {})),
    markRead: mark,
    remove(page: string) {
      if (!pages[page]) throw new PullFailure('not_found')
      remove(page)
    },
    add(page: string, { bytes: read, validators }: FetchedPage, own: readonly MappedRecord[]) {
      bytes += read.length
      chars += own.reduce((sum, { text }) => sum + (text?.length ?? 0), 0)
      records.push(...own)
      withdraw(page, own.length + 1)
      pages[page] = { parts: own.length, round: number, ...validators }
      handled += 1
    },
    fail: (page: string, { reason }: PullFailure) => fail(page, reason, PULL_FAILURES[reason]),
    isFilled: () => handled >= BATCH_PAGES || chars >= BATCH_CHARS,
    isEmpty: () => Object.keys(pages).length === 0,
    take,
    /** Ends a round that failed. The next pull continues it, or begins another if the site is down. */
    stop: (isDown: boolean) => take(!isDown),
    /** Ends the round. Deletes the pages that a complete sitemap does not list. */
    end({ pages: listed, isComplete }: Sitemap): PulledPage {
      if (isComplete) for (const page of Object.keys(pages)) if (!listed.has(page)) remove(page)
      return take(false)
    },
  }
}

type Failure = NonNullable<PulledPage['failures']>[number]
