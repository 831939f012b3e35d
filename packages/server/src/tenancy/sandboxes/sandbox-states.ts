import type { SandboxState } from '@cairnstore/contract'

/** What happens to a sandbox. */
export type SandboxEvent = 'suspended' | 'reactivated' | 'archived'

/** Suspending an archived sandbox would bring it back into lists, so it is refused. */
const NEXT: Record<SandboxState, Record<SandboxEvent, SandboxState | 'refused'>> = {
  active: { suspended: 'suspended', reactivated: 'active', archived: 'archived' },
  suspended: { suspended: 'suspended', reactivated: 'active', archived: 'archived' },
  archived: { suspended: 'refused', reactivated: 'active', archived: 'archived' },
}

/** The state of a sandbox after the event, or that it cannot happen. */
export function nextSandboxState(state: SandboxState, event: SandboxEvent): SandboxState | 'refused' {
  return NEXT[state][event]
}
