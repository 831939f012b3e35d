import { type ChatMessage, HISTORY_TURNS, type Preset } from '@cairn/contract'
import { Fault } from '../../base/fault.ts'
import type { Ctx } from '../handler.ts'
import type { Reach } from '../sharing/reach.ts'

/** Throws preset_reserved for `max`, and sandbox_not_active when the sandbox answers no queries. */
export function assertQueryable(reach: Reach, preset: Preset | null | undefined): void {
  if (preset === 'max') throw new Fault('preset_reserved')
  if (reach.status !== 'active') throw new Fault('sandbox_not_active')
}

/** Characters of one turn that are read: what a question is about stands at its beginning. */
const TURN_CHARS_READ = 4_000

/**
 * What the latest turns said, oldest first, each up to `TURN_CHARS_READ`. Instructions of a `system` turn are not part
 * of the question.
 */
export function historyTexts(history: readonly ChatMessage[] | undefined): string[] {
  return (history ?? [])
    .slice(-HISTORY_TURNS)
    .filter((turn) => turn.role !== 'system')
    .map((turn) => turn.content.slice(0, TURN_CHARS_READ))
}

/** The day that relative dates are counted from: the one given, else today in UTC. */
export function referenceDate(ctx: Ctx, given: string | null | undefined): string {
  return given ?? ctx.clock.now().toISOString().slice(0, 'YYYY-MM-DD'.length)
}
