import { MS_PER_SECOND } from '../../../base/clock.ts'
import { PullFailure } from '../../../base/pull-failure.ts'
import { type PullRequest, reasonOfStatus } from '../connector.ts'
import { parseRobots, type Robots, USER_AGENT } from './robots.ts'

/** Cache validators of a page (RFC 9110, section 8.8), so that an unchanged page is not sent again. */
export interface Validators {
  readonly etag?: string
  readonly modified?: string
}

/** A page as its server sent it. */
export interface FetchedPage {
  /** Its address after all redirects. */
  readonly address: string
  readonly bytes: Uint8Array
  /** Media type in lower case, without parameters. */
  readonly type: string | undefined
  readonly validators: Validators
}

/** Fetches pages. It obeys robots.txt, and the guarded fetch checks each redirect. */
export type Site = ReturnType<typeof openSite>

const REDIRECTS_MAX = 5
const FAILED = 500
const NOT_MODIFIED = 304
const GONE = [404, 410]
const UNAUTHORIZED = 401
const TOO_MANY = 429
const UNAVAILABLE = 503
/** Milliseconds after which no further redirect of a page is followed. */
const REDIRECTING_MS = 60_000
/** Longer validators are not stored. */
const VALIDATOR_CHARS_MAX = 256

/** Opens a client for the pages of one pull. It reads the robots.txt of each host once. */
export function openSite(request: Pick<PullRequest, 'fetch' | 'signal' | 'now'>) {
  const robots = new Map<string, Promise<Robots>>()
  const get = async (address: string, headers: Record<string, string>, isAllowed: (url: URL) => Promise<boolean>) => {
    const startedMs = performance.now()
    let url = new URL(address)
    for (let hops = 0; hops <= REDIRECTS_MAX; hops += 1) {
      if (performance.now() - startedMs > REDIRECTING_MS) throw new PullFailure('timeout')
      if (!(await isAllowed(url))) throw new PullFailure('robots_disallowed')
      const { signal } = request
      const own = { 'user-agent': USER_AGENT, accept: 'text/html,*/*;q=0.8', ...headers }
      const response = await request.fetch(url, { headers: own, signal }).catch(redirectOf)
      if (response instanceof Response) return { response, url }
      if (!URL.canParse(response.location, url.href)) throw new PullFailure('redirected')
      url = new URL(response.location, url)
      url.hash = ''
    }
    throw new PullFailure('redirected')
  }
  const readRobots = async (origin: string): Promise<Robots> => {
    const { response } = await get(`${origin}/robots.txt`, {}, async () => true)
    if (response.status === TOO_MANY || response.status >= FAILED) throw failureOf(response, request.now)
    return parseRobots(response.ok ? await response.text() : '')
  }
  const allows = async ({ origin, pathname, search }: URL): Promise<boolean> => {
    const reading = robots.get(origin) ?? readRobots(origin)
    robots.set(origin, reading)
    return (await reading).allows(pathname + search)
  }
  return {
    /**
     * Returns a page, `unchanged`, or `gone` for 404 and 410. Throws a PullFailure: `robots_disallowed`, `redirected`
     * for a target that `isWithin` rejects, and the failures of the guarded fetch.
     */
    fetchPage: async (
      address: string,
      { etag, modified }: Validators = {},
      isWithin: (address: string) => boolean = () => true,
    ) => {
      const conditions = {
        ...(etag !== undefined && { 'if-none-match': etag }),
        ...(modified !== undefined && { 'if-modified-since': modified }),
      }
      const { response, url } = await get(address, conditions, async (at) => {
        if (!isWithin(at.href)) throw new PullFailure('redirected')
        return allows(at)
      })
      if (response.status === NOT_MODIFIED) return 'unchanged'
      if (GONE.includes(response.status)) return 'gone'
      if (!response.ok) throw failureOf(response, request.now)
      const type = response.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
      const bytes = new Uint8Array(await response.arrayBuffer())
      return { address: url.href, bytes, type, validators: validatorsOf(response) }
    },
  }
}

/** Returns the target of a redirect. Rethrows other failures, and a redirect without a target. */
function redirectOf(cause: unknown): { location: string } {
  const { reason, location } = cause instanceof PullFailure ? cause : {}
  if (reason === 'redirected' && location !== undefined) return { location }
  throw cause
}

function validatorsOf({ headers }: Response): Validators {
  const short = (name: string) => {
    const value = headers.get(name)
    return value !== null && value.length <= VALIDATOR_CHARS_MAX ? value : undefined
  }
  const etag = short('etag')
  const modified = short('last-modified')
  return { ...(etag !== undefined && { etag }), ...(modified !== undefined && { modified }) }
}

function failureOf({ status, headers }: Response, now: Date): PullFailure {
  const value = headers.get('retry-after') ?? ''
  const until = /^\d+$/.test(value) ? Number(value) * MS_PER_SECOND : Date.parse(value) - now.getTime()
  const retryAfterMs = Number.isNaN(until) ? undefined : Math.max(0, until)
  const isLimit = status === TOO_MANY || (status === UNAVAILABLE && retryAfterMs !== undefined)
  if (isLimit) return new PullFailure('rate_limited', { retryAfterMs })
  return new PullFailure(status === UNAUTHORIZED ? 'forbidden' : reasonOfStatus(status))
}
