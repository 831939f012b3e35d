import { MS_PER_SECOND } from '../../../base/clock.ts'
import { PullFailure } from '../../../base/pull-failure.ts'
import { type PullRequest, reasonOfStatus } from '../connector.ts'
import { parseRobots, type Robots, USER_AGENT } from './robots.ts'

/** Cache validators of a page (RFC 9110, section 8.8). With them, an unchanged page is not sent again. */
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

/** Fetches pages politely: within robots.txt, and over redirects that the guarded fetch checks one by one. */
export interface Site {
  /**
   * Returns a page, or that it is unchanged or gone (404 or 410). Throws a PullFailure: `robots_disallowed`,
   * `redirected` for a target that `isWithin` rejects, and the failures of the guarded fetch.
   */
  fetchPage(
    address: string,
    known?: Validators,
    isWithin?: (address: string) => boolean,
  ): Promise<FetchedPage | 'unchanged' | 'gone'>
}

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
export function openSite(request: Pick<PullRequest, 'fetch' | 'signal' | 'now'>): Site {
  const robots = new Map<string, Promise<Robots>>()
  const get = async (address: string, headers: Record<string, string>, isAllowed: (url: URL) => Promise<boolean>) => {
    const startedMs = performance.now()
    let url = new URL(address)
    for (let hops = 0; hops <= REDIRECTS_MAX; hops += 1) {
      if (performance.now() - startedMs > REDIRECTING_MS) throw new PullFailure('timeout')
      if (!(await isAllowed(url))) throw new PullFailure('robots_disallowed')
      const { signal } = request
      const own = { 'user-agent': USER_AGENT, accept: 'text/html,*/*;q=0.8', ...headers }
      const answer = await request.fetch(url, { headers: own, signal }).catch(redirectOf)
      if (answer instanceof Response) return { answer, url }
      if (!URL.canParse(answer.location, url.href)) throw new PullFailure('redirected')
      url = new URL(answer.location, url)
      url.hash = ''
    }
    throw new PullFailure('redirected')
  }
  const readRobots = async (origin: string): Promise<Robots> => {
    const { answer } = await get(`${origin}/robots.txt`, {}, async () => true)
    if (answer.status === TOO_MANY || answer.status >= FAILED) throw failureOf(answer, request.now)
    return parseRobots(answer.ok ? await answer.text() : '')
  }
  const allows = async ({ origin, pathname, search }: URL): Promise<boolean> => {
    const reading = robots.get(origin) ?? readRobots(origin)
    robots.set(origin, reading)
    return (await reading).allows(pathname + search)
  }
  return {
    fetchPage: async (address, { etag, modified } = {}, isWithin = () => true) => {
      const conditions = {
        ...(etag !== undefined && { 'if-none-match': etag }),
        ...(modified !== undefined && { 'if-modified-since': modified }),
      }
      const { answer, url } = await get(address, conditions, async (at) => {
        if (!isWithin(at.href)) throw new PullFailure('redirected')
        return allows(at)
      })
      if (answer.status === NOT_MODIFIED) return 'unchanged'
      if (GONE.includes(answer.status)) return 'gone'
      if (!answer.ok) throw failureOf(answer, request.now)
      const type = answer.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
      const bytes = new Uint8Array(await answer.arrayBuffer())
      return { address: url.href, bytes, type, validators: validatorsOf(answer) }
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
  const asked = headers.get('retry-after') ?? ''
  const until = /^\d+$/.test(asked) ? Number(asked) * MS_PER_SECOND : Date.parse(asked) - now.getTime()
  const retryAfterMs = Number.isNaN(until) ? undefined : Math.max(0, until)
  const isLimit = status === TOO_MANY || (status === UNAVAILABLE && retryAfterMs !== undefined)
  if (isLimit) return new PullFailure('rate_limited', { retryAfterMs })
  return new PullFailure(status === UNAUTHORIZED ? 'forbidden' : reasonOfStatus(status))
}
