import type { SourceState } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { AccessScope } from '../access/access-scope.ts'

/** States in which a source does not count against limits and gets no new work. */
export const RETIRED = ['archived', 'disconnected'] as const

/** Returns true if a source can be linked to projects and counts against the limit. */
export function isLive({ status }: Pick<Row<'source'>, 'status'>): boolean {
  return !(RETIRED as readonly string[]).includes(status)
}

/** Selects the sources in an access scope: all of the sandbox, or those of the project that the grant is limited to. */
export function sourcesIn(tx: Tx, access: AccessScope) {
  const all = tx
    .selectFrom('source')
    .where('source.user_id', '=', access.holderId)
    .where('source.sandbox_id', '=', access.sandboxId)
  const { projectId } = access
  if (projectId === null) return all
  return all.where((is) =>
    is.exists(
      is
        .selectFrom('project_source as link')
        .select('link.source_id')
        .whereRef('link.user_id', '=', 'source.user_id')
        .whereRef('link.sandbox_id', '=', 'source.sandbox_id')
        .whereRef('link.source_id', '=', 'source.id')
        .where('link.project_id', '=', projectId),
    ),
  )
}

/** Returns a source in the access scope. Throws `not_found` for any other. */
export async function getSourceRow(tx: Tx, access: AccessScope, sourceId: string): Promise<Row<'source'>> {
  return sourcesIn(tx, access)
    .selectAll('source')
    .where('source.id', '=', sourceId)
    .executeTakeFirstOrThrow(() => new Fault('not_found'))
}

/** Returns a source and locks its row. The lock for a deletion also excludes deliveries. Throws `not_found`. */
export async function lockSource(
  tx: Tx,
  access: AccessScope,
  sourceId: string,
  purpose: 'change' | 'delete' = 'change',
): Promise<Row<'source'>> {
  const found = sourcesIn(tx, access).selectAll('source').where('source.id', '=', sourceId)
  const locked = purpose === 'delete' ? found.forUpdate('source') : found.forNoKeyUpdate('source')
  return locked.executeTakeFirstOrThrow(() => new Fault('not_found'))
}

/** Returns the number of sources that count against the tier's limit. */
export async function countSources(tx: Tx, access: Pick<AccessScope, 'holderId' | 'sandboxId'>): Promise<number> {
  const { count } = await tx
    .selectFrom('source')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where(ofSandbox(access))
    .where('status', 'not in', RETIRED)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * State transitions of a source, by event and state. An event is refused in the states that it does not list. A user's
 * decision has priority: a paused source stays paused after any check, and a disconnected one stays disconnected.
 */
const NEXT = {
  paused: { active: 'paused', paused: 'paused', error: 'paused' },
  resumed: { active: 'active', paused: 'active', error: 'active', archived: 'active' },
  disconnected: {
    active: 'disconnected',
    paused: 'disconnected',
    disconnected: 'disconnected',
    error: 'disconnected',
    archived: 'disconnected',
  },
  health_passed: { active: 'active', paused: 'paused', error: 'active', archived: 'archived' },
  health_failed: { active: 'error', paused: 'paused', error: 'error', archived: 'archived' },
  idled: { active: 'archived', error: 'archived' },
  revived: { active: 'active', error: 'error', archived: 'active' },
} as const satisfies Record<string, Partial<Record<SourceState, SourceState>>>

/** Event of a source: a user's decision, a connection check, idleness or new work. */
export type SourceEvent = keyof typeof NEXT

/** Returns the state after an event, or `refused`. */
export function nextSourceState(state: SourceState, event: SourceEvent): SourceState | 'refused' {
  const next: Partial<Record<SourceState, SourceState>> = NEXT[event]
  return next[state] ?? 'refused'
}
