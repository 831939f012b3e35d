import type { SourceState } from '@cairnstore/contract'

/** What happens to a source: a person's decision, a check of its connection, a sync, idleness, or new work for it. */
export type SourceEvent =
  | 'paused'
  | 'resumed'
  | 'disconnected'
  | 'health_passed'
  | 'health_failed'
  | 'synced'
  | 'idled'
  | 'revived'

type StateTransitions = Record<SourceEvent, SourceState | 'refused'>

/**
 * The person's decisions stand above the rest: a paused source stays paused whatever a check says, and does not fall to
 * idleness, from which a call would wake it. Nothing leads out of disconnected. Work accepted before a pause or an
 * archiving may still end after it, so a sync is refused nowhere.
 */
const NEXT: Record<SourceState, StateTransitions> = {
  active: {
    paused: 'paused',
    resumed: 'active',
    disconnected: 'disconnected',
    health_passed: 'active',
    health_failed: 'error',
    synced: 'active',
    idled: 'archived',
    revived: 'active',
  },
  paused: {
    paused: 'paused',
    resumed: 'active',
    disconnected: 'disconnected',
    health_passed: 'paused',
    health_failed: 'paused',
    synced: 'paused',
    idled: 'paused',
    revived: 'refused',
  },
  disconnected: {
    paused: 'refused',
    resumed: 'refused',
    disconnected: 'disconnected',
    health_passed: 'refused',
    health_failed: 'refused',
    synced: 'disconnected',
    idled: 'disconnected',
    revived: 'refused',
  },
  error: {
    paused: 'paused',
    resumed: 'active',
    disconnected: 'disconnected',
    health_passed: 'active',
    health_failed: 'error',
    synced: 'active',
    idled: 'archived',
    revived: 'error',
  },
  archived: {
    paused: 'refused',
    resumed: 'active',
    disconnected: 'disconnected',
    health_passed: 'archived',
    health_failed: 'archived',
    synced: 'archived',
    idled: 'archived',
    revived: 'active',
  },
}

/** The state of a source after the event, or that it cannot happen. */
export function nextSourceState(state: SourceState, event: SourceEvent): SourceState | 'refused' {
  return NEXT[state][event]
}
