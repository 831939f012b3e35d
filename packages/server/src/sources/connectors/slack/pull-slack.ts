import { ErrorCode, LogLevel, WebClient } from '@slack/web-api'
import { MS_PER_SECOND } from '../../../base/clock.ts'
import { findPullFailure, PullFailure, type PullFailureReason } from '../../../base/pull-failure.ts'
import { type PulledPage, type PullRequest, reasonOfStatus } from '../connector.ts'
import { list, number, pick, text } from '../pick.ts'
import { type MappedRecord, recordsIn, sameFor } from '../to-record.ts'
import { mapMessage } from './map-messages.ts'
import { assignSlackSite, type MapDelivered, mapChannel, mapUser } from './map-workspace.ts'

/** Read position in one channel. Times are Slack timestamps, in seconds. */
interface SlackMark {
  /** All messages up to this time have been read. */
  at?: string
  /** State of an unfinished read: where it continues backwards, and the value of `at` when it ends. */
  before?: string
  newest?: string
}

const PAGE_ITEMS = 200
/** Maximum number of pages of one listing per pull. */
const PAGES_MAX = 500
const SECONDS_PER_DAY = 86_400
/** Default number of days for which new replies and edits are looked up. */
export const THREAD_DAYS = 1
export const THREAD_DAYS_MAX = 30
/** Maximum difference in seconds between Slack's clock and the local clock. */
const SKEW_SECONDS = 60

type Call = (method: string, parameters?: Record<string, unknown>) => Promise<unknown>
/**
 * Reads people once a day, channels, and messages of the channels that the credential's owner is a member of. Reads
 * messages that are new, or that were edited or answered within `thread_days`. Slack does not list deleted messages.
 */
export async function* pullSlack(request: PullRequest): AsyncGenerator<PulledPage> {
  if (!request.credential) throw new PullFailure('credential_missing')
  const call = openCaller(request)
  const own = await call('auth.test')
  const nowSeconds = request.now.getTime() / MS_PER_SECOND
  const read = (mapEvent: MapDelivered, event: object): readonly MappedRecord[] => {
    const body = { team_id: text(own, 'team_id'), enterprise_id: text(own, 'enterprise_id'), event }
    const delivery = { headers: {}, body, settings: request.settings }
    return assignSlackSite(recordsIn(mapEvent(delivery)), delivery)
  }
  let cursor = rewound(request)
  if (nowSeconds - (number(cursor, 'people') ?? 0) >= SECONDS_PER_DAY) {
    for await (const users of listing(call, 'users.list', 'members')) {
      yield { records: users.flatMap((user) => read(mapUser, { type: 'user_change', user })), cursor }
    }
    cursor = { ...cursor, people: nowSeconds }
  }
  const channels: unknown[] = []
  const wanted = { types: 'public_channel,private_channel', exclude_archived: true }
  for await (const page of listing(call, 'conversations.list', 'channels', wanted)) {
    channels.push(...page.filter((channel) => isWanted(request, channel)))
    const records = page.flatMap((channel) => read(mapChannel, { type: 'channel_rename', channel }))
    yield { records, cursor }
  }
  for (const channel of channels) {
    const key = `channel ${text(channel, 'id')}`
    const toRecords = (message: unknown) =>
      read(mapMessage, {
        ...(message as object),
        type: 'message',
        channel: text(channel, 'id'),
        ...channelFields(channel),
      })
    for await (const { messages, mark } of history(call, request, channel, (cursor[key] ?? {}) as SlackMark)) {
      cursor = { ...cursor, [key]: mark }
      yield { records: messages.flatMap(toRecords), cursor }
    }
  }
}

/** Returns the cursor with no channel's position later than `since`. Unread channels start at their beginning. */
function rewound({ cursor, since }: PullRequest): Record<string, unknown> {
  const seconds = (since?.getTime() ?? Number.POSITIVE_INFINITY) / MS_PER_SECOND
  const isLater = (mark: unknown) => Number(text(mark, 'at') ?? 0) > seconds
  const marks = Object.entries(cursor ?? {})
  return Object.fromEntries(marks.map(([key, mark]) => [key, isLater(mark) ? { at: String(seconds) } : mark]))
}

function channelFields(channel: unknown): object {
  return {
    channel_name: text(channel, 'name'),
    channel_type: pick(channel, 'is_private') === true ? 'group' : 'channel',
  }
}

function isWanted({ settings }: PullRequest, channel: unknown): boolean {
  if (pick(channel, 'is_member') !== true) return false
  const wanted = list(settings.config, 'channels').map((name) => text(name)?.replace(/^#/, ''))
  return wanted.length === 0 || wanted.includes(text(channel, 'id')) || wanted.includes(text(channel, 'name'))
}

async function* listing(call: Call, method: string, field: string, parameters: object = {}) {
  let cursor: string | undefined
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const response = await call(method, { ...parameters, limit: PAGE_ITEMS, ...(cursor && { cursor }) })
    yield itemsOf(response, field)
    cursor = text(response, 'response_metadata', 'next_cursor')
    if (!cursor) return
  }
}

function itemsOf(response: unknown, field: string): unknown[] {
  const items = pick(response, field)
  if (!Array.isArray(items)) throw new PullFailure('unreadable')
  return items
}

/** Yields a channel from its latest message backwards to the position, with the replies to each message. */
async function* history(call: Call, request: PullRequest, channel: unknown, first: SlackMark) {
  const id = text(channel, 'id')
  let mark = first
  const known = Number(mark.at ?? 0)
  const oldest = Math.max(0, known - threadDays(request) * SECONDS_PER_DAY)
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const place = { channel: id, oldest: String(oldest), ...(mark.before && { latest: mark.before }) }
    const response = await call('conversations.history', { ...place, limit: PAGE_ITEMS })
    const items = itemsOf(response, 'messages')
    const messages: unknown[] = []
    for (const message of items) {
      const edited = Number(text(message, 'edited', 'ts') ?? 0)
      if (Math.max(Number(text(message, 'ts')), edited) > known) messages.push(message)
      if (Number(text(message, 'latest_reply') ?? 0) > known)
        messages.push(...(await replies(call, id, message, known)))
    }
    const newest = mark.before === undefined ? newestOf(request, items, mark.at) : mark.newest
    const before = text(items.at(-1), 'ts')
    const isLast = pick(response, 'has_more') !== true || before === undefined
    mark = isLast ? { ...(newest && { at: newest }) } : { ...mark, ...(newest && { newest }), before }
    yield { messages, mark }
    if (isLast) return
  }
}

function threadDays({ settings }: PullRequest): number {
  const days = number(settings.config, 'thread_days') ?? THREAD_DAYS
  return Math.min(Math.max(days, 0), THREAD_DAYS_MAX)
}

/**
 * Returns the time up to which everything has been read: that of the first page's latest message, or of an edit or
 * reply before the request. A more recent reply is not used, because the page may lack a message before it.
 */
function newestOf({ now }: PullRequest, items: readonly unknown[], at: string | undefined): string | undefined {
  const changed = items.flatMap((item) => [text(item, 'latest_reply'), text(item, 'edited', 'ts')])
  const before = changed.filter((ts) => Number(ts ?? 0) < now.getTime() / MS_PER_SECOND - SKEW_SECONDS)
  return latestOf([at, ...items.map((item) => text(item, 'ts')), ...before])
}

function latestOf(times: readonly (string | undefined)[]): string | undefined {
  return times.reduce((one, other) => (Number(other ?? 0) > Number(one ?? 0) ? other : one), undefined)
}

async function replies(call: Call, channel: string | undefined, parent: unknown, known: number): Promise<unknown[]> {
  const ts = text(parent, 'ts')
  const found: unknown[] = []
  for await (const page of listing(call, 'conversations.replies', 'messages', { channel, ts, oldest: String(known) })) {
    found.push(...page.filter((reply) => text(reply, 'ts') !== ts))
  }
  return found
}

function openCaller({ credential, settings, fetch, signal }: PullRequest): Call {
  const base = text(settings.config, 'base_url')?.replace(/\/*$/, '/')
  const client = new WebClient(credential, {
    ...(base && { slackApiUrl: base }),
    fetch: (url, init) => fetch(url as string, { ...(init as RequestInit), signal }),
    logLevel: LogLevel.ERROR,
    rejectRateLimitedCalls: true,
    retryConfig: { retries: 0 },
    allowAbsoluteUrls: false,
  })
  return async (method, parameters) => {
    signal.throwIfAborted()
    return client.apiCall(method, parameters).catch((error: unknown) => {
      throw signal.aborted ? error : failureOf(error)
    })
  }
}

/** Pull failure reason by Slack's error string. Slack sends it with status 200. */
const ERROR_REASONS: Readonly<Record<string, PullFailureReason>> = {
  ...sameFor('credential_refused', 'invalid_auth not_authed account_inactive token_revoked token_expired'),
  ...sameFor('forbidden', 'missing_scope not_in_channel no_permission team_access_not_granted'),
  channel_not_found: 'not_found',
  ratelimited: 'rate_limited',
}

function failureOf(error: unknown): PullFailure {
  const known = findPullFailure(error)
  if (known) return known
  const { code, retryAfter, statusCode, data } = error as Record<string, unknown>
  if (code === ErrorCode.RateLimitedError) {
    return new PullFailure('rate_limited', { retryAfterMs: Number(retryAfter) * MS_PER_SECOND })
  }
  if (code === ErrorCode.HTTPError) return new PullFailure(reasonOfStatus(Number(statusCode)))
  if (code === ErrorCode.PlatformError) {
    const slackError = text(data, 'error') ?? ''
    return new PullFailure(Object.hasOwn(ERROR_REASONS, slackError) ? ERROR_REASONS[slackError]! : 'provider_failed')
  }
  return new PullFailure('unreadable', { cause: error })
}
