import { PRESETS, type Preset } from '@cairnstore/contract'
import { Fault } from '../base/fault.ts'
import type { Reach } from '../tenancy/reach/reach.ts'

/** A question as it is answered: its preset is one of ours. */
export type Queried<Given> = Omit<Given, 'preset'> & { preset: Preset | null }

/** Throws sandbox_not_active when the sandbox answers no queries. */
export function assertQueryable({ status }: Reach): void {
  if (status !== 'active') throw new Fault('sandbox_not_active')
}

/**
 * A question with the preset that answers it, and what its caller should know of that: the name of a model counts as
 * `auto`. Throws preset_reserved for `max`, and sandbox_not_active when the sandbox answers no queries.
 */
export function toQueried<Given extends { preset?: string | null | undefined }>(
  reach: Reach,
  given: Given,
): { asked: Queried<Given>; notes: string[] } {
  const { preset: named = null } = given
  if (named === 'max') throw new Fault('preset_reserved')
  assertQueryable(reach)
  const own = PRESETS.find((preset) => preset === named)
  if (own || named === null) return { asked: { ...given, preset: own ?? null }, notes: [] }
  const note = `There is no preset ${named} here; it was taken as auto.`
  return { asked: { ...given, preset: 'auto' }, notes: [note] }
}
