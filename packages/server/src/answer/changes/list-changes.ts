import type { Change, ChangePage } from '@cairnstore/contract'
import { isDay } from '@cairnstore/engine/text'
import type { Position as CursorPosition } from '../../base/cursor.ts'
import { Fault, invalid } from '../../base/fault.ts'
import { commitBefore, readChanges, type StoredChanges, storedChangeRange } from '../../store/changes.ts'
import { type ReadSnapshot, visibleSource } from '../../store/read-snapshot.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import type { AnswerCtx } from '../context.ts'
import { changesIn, describeChanges, isBefore, type Position } from './describe-changes.ts'

const CHANGES = 100
/** Number of commits per query. A commit has up to several thousand ids. */
const COMMITS_PER_READ = 16
/** Maximum number of commits scanned in one request. The next request continues from there. */
const COMMITS_MAX = 512

interface ChangesQuery {
  since?: string | undefined
  types?: string | undefined
  limit?: number | undefined
  project_id?: string | undefined
}

/**
 * Returns the changes after a cursor or a time, in commit order and in a fixed order within a commit. Change rows are
 * written in the transaction that moves the head. Therefore the visible rows have no gaps, and none is inserted later.
 */
export async function listChanges(
  ctx: Pick<AnswerCtx, 'caller' | 'cursors' | 'sql'>,
  access: AccessScope,
  { snapshot, view }: { snapshot: ReadSnapshot; view: SandboxView },
  asked: ChangesQuery,
): Promise<ChangePage> {
  const { limit = CHANGES } = asked
  const types = asked.types && new Set(asked.types.split(',').map((type) => type.trim()))
  const cursorScope = JSON.stringify([
    'changes',
    ctx.caller.accountId,
    access.sandboxId,
    asked.types,
    snapshot.projectId,
  ])
  const start = startOf(asked.since, (cursor) => ctx.cursors.unpack(cursorScope, cursor))
  const begun = await beginAt(ctx, access, start)
  const changeReader = {
    view,
    scope: snapshot.scope,
    shownSource: (id: string | null) => visibleSource(access, snapshot, id),
  }
  const found: Change[] = []
  let end = begun
  let seen = begun
  let isMore = false
  for (let looked = 0; looked < COMMITS_MAX && found.length < limit; looked += COMMITS_PER_READ) {
    const commits = await read(ctx, access, seen)
    const rawChanges = commits.flatMap((commit) =>
      changesIn(commit, snapshot.scope).filter((each) => !isBefore(each, seen)),
    )
    const shown = await describeChanges(changeReader, rawChanges, limit - found.length, types || undefined)
    for (const { change, raw } of shown.changes) {
      found.push(change)
      end = { seq: raw.seq, at: raw.at + 1 }
    }
    const last = commits.at(-1)
    isMore = shown.isCut || commits.length === COMMITS_PER_READ
    if (shown.isCut || !last) break
    seen = { seq: last.seq + 1, at: 0 }
    // If the whole sandbox is in scope, the caller has read all of these commits. In a limited scope the cursor must
    // not reveal the number of hidden changes. There it advances only after COMMITS_MAX commits, so that the next
    // request does not scan the same commits again.
    if (!snapshot.scope || looked + COMMITS_PER_READ >= COMMITS_MAX) end = seen
    if (commits.length < COMMITS_PER_READ) break
  }
  return {
    changes: found,
    count: found.length,
    next_cursor: ctx.cursors.pack(cursorScope, [end.seq, end.at]),
    has_more: isMore,
  }
}

async function read(ctx: Pick<AnswerCtx, 'sql'>, access: AccessScope, { seq }: Position): Promise<StoredChanges[]> {
  const sandbox = { userId: access.holderId, sandboxId: access.sandboxId }
  return ctx.sql.transact(access.holderId, (tx) => readChanges(tx, sandbox, seq, COMMITS_PER_READ))
}

/** Returns the start position. Throws `cursor_expired` for a cursor older than the stored changes. */
async function beginAt(
  ctx: Pick<AnswerCtx, 'sql'>,
  access: AccessScope,
  start: Position | Date | undefined,
): Promise<Position> {
  const sandbox = { userId: access.holderId, sandboxId: access.sandboxId }
  return ctx.sql.transact(access.holderId, async (tx) => {
    // The head is read before the time is looked up. A commit that arrives in between is after the head.
    const { from, head } = await storedChangeRange(tx, sandbox)
    if (start === undefined) return { seq: from + 1, at: 0 }
    if (start instanceof Date) {
      const before = await commitBefore(tx, sandbox, start)
      return { seq: Math.max(from, before ?? head) + 1, at: 0 }
    }
    if (start.seq <= from) throw new Fault('cursor_expired')
    return start
  })
}

/** Matches a date or time. A cursor practically never matches, because it begins with a digest. */
const DAY = /^\d{4}-\d{2}-\d{2}(?:[Tt ][0-9:.]+(?:[Zz]|[+-]\d{2}:\d{2})?)?$/

/** Returns the start of a listing: a cursor's position, a time, or undefined for the oldest stored change. */
function startOf(
  since: string | undefined,
  unpack: (cursor: string) => CursorPosition,
): { seq: number; at: number } | Date | undefined {
  if (since === undefined) return undefined
  if (DAY.test(since)) {
    const at = new Date(since)
    if (Number.isNaN(at.getTime()) || !isDay(since.slice(0, 'YYYY-MM-DD'.length)))
      throw invalid(['query', 'since'], 'is not an existing time or day')
    return at
  }
  const [seq, at] = unpack(since)
  return { seq: Number(seq), at: Number(at) }
}
