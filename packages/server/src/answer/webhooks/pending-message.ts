import type { WebhookEvent } from '@cairnstore/contract'
import type { Tx } from '../../db/open.ts'
import { changesKept, readChanges } from '../../store/changes.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/sandbox-ref.ts'
import { changesIn, isBefore, type Position, type RawChange } from '../changes/raw-change.ts'

/** Changes that one message tells of. */
const CHANGES_PER_MESSAGE = 100
const COMMITS_PER_READ = 16
/** Commits that one turn looks through; where it finds nothing in them it goes on from there. */
const COMMITS_MAX = 256

/** What a message tells of, and where it ends. */
export interface Pending {
  readonly changes: readonly RawChange[]
  /** The first change after it. */
  readonly end: Position
  /** Whether changes before these are not kept any more. */
  readonly missed: boolean
  /** Whether there may be more after it. */
  readonly isMore: boolean
}

/**
 * The changes from a position on that an endpoint is told of, as many as a message takes; up to `end` those of a
 * message that was begun before, which are always the same.
 */
export async function readPending(
  tx: Tx,
  sandbox: SandboxRef,
  begin: Position,
  end: Position | null,
  events: readonly WebhookEvent[],
): Promise<Pending> {
  const { from, head } = await changesKept(tx, sandbox)
  const missed = begin.seq <= from
  const told = new Set<string>(events)
  const changes: RawChange[] = []
  let seen = missed ? { seq: from + 1, at: 0 } : begin
  for (let looked = 0; looked < COMMITS_MAX; looked += COMMITS_PER_READ) {
    const commits = await readChanges(tx, sandbox, seen.seq, COMMITS_PER_READ)
    for (const each of commits.flatMap((commit) => changesIn(commit, null))) {
      if (isBefore(each, seen) || !told.has(`${each.kind}.${each.change}`)) continue
      if (end && !isBefore(each, end)) return { changes, end, missed, isMore: true }
      if (changes.length === CHANGES_PER_MESSAGE) return { changes, end: after(changes), missed, isMore: true }
      changes.push(each)
    }
    const last = commits.at(-1)
    if (commits.length < COMMITS_PER_READ || !last) {
      const after = Math.max(head, last?.seq ?? 0, seen.seq - 1) + 1
      return { changes, end: end ?? { seq: after, at: 0 }, missed, isMore: end !== null }
    }
    seen = { seq: last.seq + 1, at: 0 }
  }
  return { changes, end: end ?? seen, missed, isMore: true }
}

function after(changes: readonly RawChange[]): Position {
  const { seq, at } = changes.at(-1)!
  return { seq, at: at + 1 }
}
