import type { Change, ChangePage } from '@cairnstore/contract'
import { isDay } from '@cairnstore/engine/text'
import type { Position as CursorPosition } from '../../base/cursor.ts'
import { Fault, invalid } from '../../base/fault.ts'
import { changesKept, commitBefore, type KeptChanges, readChanges } from '../../store/changes.ts'
import { type Ground, shownSource } from '../../store/ground.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import type { AnswerCtx } from '../context.ts'
import { changesIn, describeChanges, isBefore, type Position } from './describe-changes.ts'

const CHANGES = 100
/** Commits that one look into the table brings, of up to some thousand ids each. */
const COMMITS_PER_READ = 16
/** Commits that one request looks through; one that finds too little in them goes on from there the next time. */
const COMMITS_MAX = 512

interface ChangesAsked {
  since?: string | undefined
  types?: string | undefined
  limit?: number | undefined
  project_id?: string | undefined
}

/**
 * What changed after a cursor or a moment, in the order of commits, and in a commit always in the same. Rows are
 * written with the head, so that those that can be read are all of those up to some commit: none comes between later.
 */
export async function listChanges(
  ctx: Pick<AnswerCtx, 'caller' | 'cursors' | 'sql'>,
  reach: Reach,
  { ground, view }: { ground: Ground; view: SandboxView },
  asked: ChangesAsked,
): Promise<ChangePage> {
  const { limit = CHANGES } = asked
  const types = asked.types && new Set(asked.types.split(',').map((type) => type.trim()))
  const cursorScope = JSON.stringify(['changes', ctx.caller.accountId, reach.sandboxId, asked.types, ground.projectId])
  const start = startOf(asked.since, (cursor) => ctx.cursors.unpack(cursorScope, cursor))
  const begun = await beginAt(ctx, reach, start)
  const telling = { view, scope: ground.scope, shownSource: (id: string | null) => shownSource(reach, ground, id) }
  const found: Change[] = []
  let end = begun
  let seen = begun
  let isMore = false
  for (let looked = 0; looked < COMMITS_MAX && found.length < limit; looked += COMMITS_PER_READ) {
    const commits = await read(ctx, reach, seen)
    const told = commits.flatMap((commit) => changesIn(commit, ground.scope).filter((each) => !isBefore(each, seen)))
    const shown = await describeChanges(telling, told, limit - found.length, types || undefined)
    for (const { change, raw } of shown.changes) {
      found.push(change)
      end = { seq: raw.seq, at: raw.at + 1 }
    }
    const last = commits.at(-1)
    isMore = shown.isCut || commits.length === COMMITS_PER_READ
    if (shown.isCut || !last) break
    seen = { seq: last.seq + 1, at: 0 }
    // A reader of the whole sandbox has read all of these. To one of a part how many others there were is not told,
    // unless they are so many that it would be looking through them for ever.
    if (!ground.scope || looked + COMMITS_PER_READ >= COMMITS_MAX) end = seen
    if (commits.length < COMMITS_PER_READ) break
  }
  return {
    changes: found,
    count: found.length,
    next_cursor: ctx.cursors.pack(cursorScope, [end.seq, end.at]),
    has_more: isMore,
  }
}

async function read(ctx: Pick<AnswerCtx, 'sql'>, reach: Reach, { seq }: Position): Promise<KeptChanges[]> {
  const sandbox = { userId: reach.holderId, sandboxId: reach.sandboxId }
  return ctx.sql.transact(reach.holderId, (tx) => readChanges(tx, sandbox, seq, COMMITS_PER_READ))
}

/** Where the reading begins. Throws cursor_expired for a cursor from before what is kept. */
async function beginAt(
  ctx: Pick<AnswerCtx, 'sql'>,
  reach: Reach,
  start: Position | Date | undefined,
): Promise<Position> {
  const sandbox = { userId: reach.holderId, sandboxId: reach.sandboxId }
  return ctx.sql.transact(reach.holderId, async (tx) => {
    // The head first: what is committed after it was read is found by its moment, or comes after it.
    const { from, head } = await changesKept(tx, sandbox)
    if (start === undefined) return { seq: from + 1, at: 0 }
    if (start instanceof Date) {
      const before = await commitBefore(tx, sandbox, start)
      return { seq: Math.max(from, before ?? head) + 1, at: 0 }
    }
    if (start.seq <= from) throw new Fault('cursor_expired')
    return start
  })
}

/** How a moment or a day begins; no cursor does but by chance, and that one is as long as no moment. */
const DAY = /^\d{4}-\d{2}-\d{2}(?:[Tt ][0-9:.]+(?:[Zz]|[+-]\d{2}:\d{2})?)?$/

/** From where changes are read: a cursor's commit and place in it, a moment, or undefined: from the first one kept. */
function startOf(
  since: string | undefined,
  unpack: (cursor: string) => CursorPosition,
): { seq: number; at: number } | Date | undefined {
  if (since === undefined) return undefined
  if (DAY.test(since)) {
    const at = new Date(since)
    if (Number.isNaN(at.getTime()) || !isDay(since.slice(0, 'YYYY-MM-DD'.length)))
      throw invalid(['query', 'since'], 'is no moment or day that there is')
    return at
  }
  const [seq, at] = unpack(since)
  return { seq: Number(seq), at: Number(at) }
}
