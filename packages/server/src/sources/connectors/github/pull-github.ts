import { Octokit } from '@octokit/core'
import { MS_PER_SECOND } from '../../../base/clock.ts'
import { findPullFailure, PullFailure } from '../../../base/pull-failure.ts'
import { type PulledPage, type PullRequest, reasonOfStatus } from '../connector.ts'
import { moment, pageUrl, pick, text } from '../pick.ts'
import { type MappedRecord, recordsIn, type Settings } from '../to-record.ts'
import { assignGithubSite } from './entities.ts'
import { mapPush } from './map-code.ts'
import { mapIssue, mapIssueComment } from './map-issues.ts'
import { mapPullRequest, mapReviewComment } from './map-pull-requests.ts'

/** Read position in one listing of one repository. */
interface GithubMark {
  /** All changes before this time have been read. */
  at?: string
  /** Next page of the listing that starts at `at`; undefined for the first page. */
  page?: number
  /** The value of `at` once the listing is read to its end. Only for a listing with the newest item first. */
  newest?: string
  /** ETag of the last response. A conditional request that returns 304 does not count against the rate limit. */
  etag?: string
}

interface GithubListing {
  readonly name: string
  readonly path: string
  /** True if the oldest change comes first, so that each page advances `at`. Otherwise `at` advances at the end. */
  readonly isAscending: boolean
  changedAt(item: unknown): string | undefined
  records(item: unknown, repository: unknown): Promise<readonly MappedRecord[]>
}

interface ListedItems {
  items: unknown[]
  etag: string | undefined
}

/** Items per page. A page of long issues stays below the response limit. */
const PAGE_ITEMS = 50
export const REPOSITORIES_MAX = 100
/** Maximum number of pages of one listing per pull; the next pull continues. */
const PAGES_MAX = 200
const NOT_MODIFIED = 304
const EMPTY = 409
const NAME = /^(?!\.+\/)[\w.-]+\/(?!\.+$)[\w.-]+$/

/**
 * Reads issues, pull requests, comments, review comments and commits of the configured repositories. Each listing
 * continues after the last change that was read. Items come in the order of their changes, so a pull can stop anywhere.
 */
export async function* pullGithub(request: PullRequest): AsyncGenerator<PulledPage> {
  const { credential, settings } = request
  const names = repositoryNames(settings)
  if (names.length === 0) throw new PullFailure('misconfigured')
  const baseUrl = text(settings.config, 'base_url')?.replace(/\/+$/, '')
  const octokit = new Octokit({
    ...(credential && { auth: credential }),
    ...(baseUrl && { baseUrl }),
    request: { fetch: request.fetch },
    log: SILENT,
  })
  const get = (path: string, parameters: object = {}) => getJson(octokit, request, path, parameters)
  let cursor = rewound(request)
  for (const name of names) {
    const repository = (await get(`/repos/${name}`)).body
    if (text(repository, 'full_name') === undefined) throw new PullFailure('unreadable')
    for (const listing of listingsOf(name, get)) {
      const key = `${name.toLowerCase()} ${listing.name}`
      const mark = (cursor[key] ?? {}) as GithubMark
      for await (const { records, mark: next } of pagesOf(listing, mark, repository, get)) {
        cursor = { ...cursor, [key]: next }
        yield { records: assignGithubSite(records, { headers: {}, body: { repository }, settings }), cursor }
      }
    }
  }
}

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

function repositoryNames({ config, accountId }: Settings): string[] {
  const listed = config.repositories ?? config.repository ?? accountId
  const names = (Array.isArray(listed) ? listed : [listed]).filter((name) => NAME.test(String(name)))
  return [...new Set(names.map(String))].slice(0, REPOSITORIES_MAX)
}

/** Returns the cursor with no position later than `since`. Unread listings start at their beginning. */
function rewound({ cursor, since }: PullRequest): Record<string, unknown> {
  const marks = Object.entries((cursor ?? {}) as Record<string, GithubMark>)
  const isLater = ({ at }: GithubMark) => since !== undefined && at !== undefined && since < new Date(at)
  return Object.fromEntries(marks.map(([key, mark]) => [key, isLater(mark) ? { at: since?.toISOString() } : mark]))
}

type Get = (path: string, parameters?: object) => Promise<{ body: unknown; etag: string | undefined }>

async function* pagesOf(listing: GithubListing, first: GithubMark, repository: unknown, get: Get) {
  let mark = first
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page = await listed(listing, mark, get)
    if (!page) return
    const records: MappedRecord[] = []
    for (const item of page.items) records.push(...(await listing.records(item, repository)))
    const isLast = page.items.length < PAGE_ITEMS
    mark = nextMark(listing, mark, page, isLast)
    yield { records, mark }
    if (isLast) return
  }
}

/** Returns one page of a listing; undefined if nothing has changed or the repository is empty. */
async function listed(
  listing: GithubListing,
  { at, page = 1, etag }: GithubMark,
  get: Get,
): Promise<ListedItems | undefined> {
  const order = listing.isAscending ? { sort: 'updated', direction: 'asc' } : {}
  const headers = etag === undefined ? {} : { 'if-none-match': etag }
  const wanted = { ...order, per_page: PAGE_ITEMS, page, ...(at && { since: at }), headers }
  try {
    const { body, etag: own } = await get(listing.path, wanted)
    if (!Array.isArray(body)) throw new PullFailure('unreadable')
    return { items: body, etag: own }
  } catch (error) {
    const status = (error as { status?: unknown }).status
    if (status === NOT_MODIFIED || (status === EMPTY && !(error instanceof PullFailure))) return undefined
    throw error
  }
}

function nextMark(listing: GithubListing, mark: GithubMark, { items, etag }: ListedItems, isLast: boolean): GithubMark {
  const times = items.flatMap((item) => listing.changedAt(item) ?? []).sort()
  const latest = times.at(-1) ?? mark.at
  if (listing.isAscending) {
    const at = latest && (!mark.at || latest > mark.at) ? latest : mark.at
    // If a whole page has the same timestamp, its next page is read. Otherwise the next request starts at the latest
    // timestamp.
    if (at !== mark.at) return { ...(at && { at }) }
    const page = isLast ? undefined : (mark.page ?? 1) + 1
    return { ...(at && { at }), ...(page && { page }), ...(isLast && etag && !mark.page && { etag }) }
  }
  const newest = [mark.newest, latest]
    .filter((time) => time !== undefined)
    .sort()
    .at(-1)
  if (!isLast) return { ...(mark.at && { at: mark.at }), page: (mark.page ?? 1) + 1, ...(newest && { newest }) }
  if (newest && newest !== mark.at) return { at: newest }
  return { ...(mark.at && { at: mark.at }), ...(etag && !mark.page && { etag }) }
}

function listingsOf(name: string, get: Get): GithubListing[] {
  const path = `/repos/${name}`
  const changedAt = (item: unknown) => moment(item, 'updated_at')
  return [
    {
      name: 'issues',
      path: `${path}/issues?state=all`,
      isAscending: true,
      changedAt,
      records: async (item, repository) => {
        if (!pick(item, 'pull_request')) return recordsIn(mapIssue({ repository, issue: item }))
        // The listing of issues contains pull requests without their branches, reviewers and merges.
        const { body: pull } = await get(`${path}/pulls/${text(item, 'number')}`)
        return recordsIn(mapPullRequest({ repository, pull_request: pull }))
      },
    },
    {
      name: 'comments',
      path: `${path}/issues/comments`,
      isAscending: true,
      changedAt,
      records: async (comment, repository) =>
        recordsIn(mapIssueComment({ repository, comment, issue: commented(comment, 'issue_url') })),
    },
    {
      name: 'remarks',
      path: `${path}/pulls/comments`,
      isAscending: true,
      changedAt,
      records: async (comment, repository) => {
        return recordsIn(
          mapReviewComment({ repository, comment, pull_request: commented(comment, 'pull_request_url') }),
        )
      },
    },
    {
      name: 'commits',
      path: `${path}/commits`,
      isAscending: false,
      changedAt: (commit) => moment(commit, 'commit', 'committer', 'date'),
      records: async (commit, repository) => recordsIn(mapPush({ repository, commits: [asPushed(commit)] })),
    },
  ]
}

/** Returns the item that a comment is on, with the fields that the comment has. */
function commented(comment: unknown, link: string): object {
  const url = pageUrl(comment, 'html_url')
  const number = text(comment, link)?.split('/').at(-1)
  return { number, html_url: url, ...(url?.includes('/pull/') && { pull_request: { url } }) }
}

/** Returns a commit in the form of a push event. */
function asPushed(commit: unknown): object {
  const person = (role: 'author' | 'committer') => ({
    name: text(commit, 'commit', role, 'name'),
    email: text(commit, 'commit', role, 'email'),
    username: text(commit, role, 'login'),
  })
  return {
    id: text(commit, 'sha'),
    message: text(commit, 'commit', 'message'),
    timestamp: text(commit, 'commit', 'committer', 'date'),
    url: text(commit, 'html_url'),
    author: person('author'),
    committer: person('committer'),
  }
}

async function getJson(octokit: Octokit, { signal, now }: PullRequest, path: string, parameters: object) {
  try {
    const { data, headers } = await octokit.request(`GET ${path}`, { ...parameters, request: { signal } })
    return { body: data as unknown, etag: headers.etag }
  } catch (error) {
    const known = findPullFailure(error)
    if (known) throw known
    const status = (error as { status?: unknown }).status
    if (signal.aborted || typeof status !== 'number' || status === NOT_MODIFIED || status === EMPTY) throw error
    const headers = (error as { response?: { headers?: Record<string, string | undefined> } }).response?.headers ?? {}
    const retryAfterMs = waitOf(headers, now)
    throw new PullFailure(retryAfterMs === undefined ? reasonOfStatus(status) : 'rate_limited', { retryAfterMs })
  }
}

/** Returns the milliseconds that GitHub asks to wait: `retry-after`, or the reset of an exhausted rate limit. */
function waitOf(headers: Record<string, string | undefined>, now: Date): number | undefined {
  const seconds = Number(headers['retry-after'] ?? Number.NaN)
  if (seconds >= 0) return seconds * MS_PER_SECOND
  if (headers['x-ratelimit-remaining'] !== '0') return undefined
  const reset = Number(headers['x-ratelimit-reset'] ?? Number.NaN)
  return reset >= 0 ? Math.max(0, reset * MS_PER_SECOND - now.getTime()) : undefined
}
