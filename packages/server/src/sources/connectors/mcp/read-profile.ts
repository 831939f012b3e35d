import { PullFailure } from '../../../base/pull-failure.ts'
import type { McpTool, PullRequest } from '../connector.ts'
import type { ActiveProfile, Listing, Profile } from '../mcp-profile.ts'
import { pick } from '../pick.ts'
import type { MappedRecord } from '../to-record.ts'
import type { McpResult } from './mcp-session.ts'
import { McpFailure } from './mcp-transport.ts'
import { type ListingMark, readListing, rewound } from './read-listing.ts'

/** Read positions in the lists of a server, by profile, list and place. */
export type ListingMarks = Readonly<Record<string, ListingMark>>

/** Access of a profile to its server. */
export interface ProfilePort {
  /** The tools that may be called, by name. */
  readonly tools: ReadonlyMap<string, McpTool>
  readonly call: CallTool
  /** Reports a response that is too large or too slow as a failure of the tool. */
  readonly tryCall: CallTool
}

type CallTool = (tool: McpTool, given: Record<string, unknown>) => Promise<McpResult>

/** Maximum number of records of one source that are compared with those of the last read. */
const SEEN_MAX = 20_000

export function toolsOf({ listings }: Profile): string[] {
  return [...new Set(listings.flatMap(({ tool, details }) => [tool, ...(details ? [details.tool] : [])]))]
}

/** Returns the read positions from which a pull continues. Drops positions in lists that are no longer read. */
export function marksFrom(active: ActiveProfile, request: Pick<PullRequest, 'cursor' | 'since' | 'now'>): ListingMarks {
  const stored = (request.cursor?.listings ?? {}) as ListingMarks
  const { since, now } = request
  return Object.fromEntries(
    listingsOf(active).flatMap(({ key }) => {
      const mark = Object.hasOwn(stored, key) ? stored[key] : undefined
      return mark ? [[key, since ? rewound(mark, since, now) : mark]] : []
    }),
  )
}

/**
 * Reads the lists of a profile whose tools may be called. If one list fails, the others are still read; the generator
 * then throws at its end. Throws at once if the server cannot be reached.
 */
export async function* readProfile(
  active: ActiveProfile,
  before: ListingMarks,
  now: Date,
  { tools, call, tryCall }: ProfilePort,
): AsyncGenerator<{ records: MappedRecord[]; marks: ListingMarks }> {
  const listings = listingsOf(active).filter(({ listing }) => tools.has(listing.tool))
  let marks = before
  let failed: PullFailure | undefined
  for (const { key, listing, parameters } of listings) {
    const tool = tools.get(listing.tool)!
    const detail = listing.details && tools.get(listing.details.tool)
    const limits = { wholeDays: active.profile.whole_days, seenMax: Math.floor(SEEN_MAX / listings.length) }
    try {
      assertFits(listing, tool, detail)
      const pages = readListing(listing, marks[key] ?? {}, { ...limits, tool, detail, parameters, now, call, tryCall })
      for await (const { records, mark } of pages) {
        marks = { ...marks, [key]: mark }
        yield { records, marks }
      }
    } catch (error) {
      if (error instanceof McpFailure || !(error instanceof PullFailure)) throw error
      failed ??= error
    }
  }
  if (failed) throw failed
}

/** Returns the lists of all places. A list's key contains the parameters of its place. */
function listingsOf({ profile, places }: ActiveProfile) {
  return profile.listings.flatMap((listing) =>
    places.map((parameters) => {
      const place = Object.keys(profile.parameters).map((name) => parameters[name] ?? '')
      return { key: [profile.name, listing.part, ...place].join('/'), listing, parameters }
    }),
  )
}

/** Throws `profile_outdated` if a tool is not read-only, or lacks an argument that the profile uses. */
function assertFits(listing: Listing, tool: McpTool, detail: McpTool | undefined): void {
  const { pages, changes, details } = listing
  const own = [...Object.keys(listing.arguments), pages.argument, ...(changes?.argument ? [changes.argument] : [])]
  const second = [...Object.keys(details?.arguments ?? {}), ...(details?.pages ? [details.pages.argument] : [])]
  const fits = (names: string[], { inputSchema, isReadOnly }: McpTool) =>
    isReadOnly && names.every((name) => pick(inputSchema, 'properties', name) !== undefined)
  if (!fits(own, tool) || (detail && !fits(second, detail))) throw new PullFailure('profile_outdated')
}
