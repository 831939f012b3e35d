import type { Preset } from '@cairn/contract'
import { Fault } from '../base/fault.ts'
import type { Reach } from '../tenancy/reach/reach.ts'

/** Throws preset_reserved for `max`, and sandbox_not_active when the sandbox answers no queries. */
export function assertQueryable(reach: Reach, preset: Preset | null | undefined): void {
  if (preset === 'max') throw new Fault('preset_reserved')
  if (reach.status !== 'active') throw new Fault('sandbox_not_active')
}
