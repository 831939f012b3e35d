import type { Change } from '@cairnstore/contract'
import type { KeptChanges, RecordChanges } from '../../store/changes.ts'
import type { Ground } from '../../store/ground.ts'

/** A change by its ids, as it is kept. */
export interface RawChange extends Pick<Change, 'change' | 'kind' | 'id' | 'into'> {
  readonly type: string | null
  readonly sourceId: string | null
  readonly seq: number
  /** Its place among the changes of its commit. */
  readonly at: number
  readonly changedAt: Date
}

/** Up to where somebody has read: the changes before this one of this commit. */
export interface Position {
  readonly seq: number
  readonly at: number
}

/** Whether a change comes before a position. */
export function isBefore({ seq, at }: Position, end: Position): boolean {
  return seq < end.seq || (seq === end.seq && at < end.at)
}

/** The changes of a commit one by one, as far as the scope shows them; each keeps its place among all. */
export function changesIn(commit: KeptChanges, scope: Ground['scope']): RawChange[] {
  const all: (RawChange & { isShown: boolean })[] = []
  const add = (
    { type, ...told }: Pick<RawChange, 'change' | 'kind' | 'id' | 'into' | 'type' | 'sourceId'>,
    isShown: boolean,
  ) => all.push({ ...told, type, seq: commit.seq, at: all.length, changedAt: commit.at, isShown })
  const inside = new Set(commit.records.filter((group) => sees(scope, group)).flatMap((group) => group.changed))
  for (const group of commit.records) {
    const isShown = sees(scope, group)
    const of = { kind: 'record' as const, type: group.type, sourceId: group.source }
    for (const change of ['added', 'changed', 'removed'] as const)
      for (const id of group[change]) add({ ...of, change, id }, isShown)
    // To who sees the project that it left alone, it is gone.
    for (const id of group.left) add({ ...of, change: 'removed', id }, scope !== null && isShown && !inside.has(id))
  }
  // Of an entity records of the whole sandbox tell, so a scope that sees a part of them is not told when it changes.
  for (const group of scope === null ? commit.entities : []) {
    const of = { kind: 'entity' as const, type: group.type, sourceId: null }
    for (const change of ['added', 'changed', 'removed'] as const)
      for (const id of group[change]) add({ ...of, change, id }, true)
    for (const [id, into] of group.merged) add({ ...of, change: 'merged', id, into }, true)
  }
  return all.flatMap(({ isShown, ...told }) => (isShown ? told : []))
}

/** Whether records of a source and a project are in the scope, as the graph has it. */
function sees(scope: Ground['scope'], { project, source }: RecordChanges): boolean {
  if (scope === null) return true
  if (project !== null) return project === scope.projectId
  return source !== null && scope.sourceIds?.has(source) === true
}
