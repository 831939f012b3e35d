import type { Change } from '@cairnstore/contract'
import type { NamedEntity, ReadRecord } from '@cairnstore/engine/resolve'
import { linkOf } from '../../base/link.ts'
import type { KeptChanges, RecordChanges } from '../../store/changes.ts'
import type { Ground } from '../../store/ground.ts'
import { readNames, readRecords } from '../../store/read-records.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'

/** Changes that are looked up together. */
const LOOKED_UP = { min: 20, max: 200 }

/** Changes with what is known now of what they are about, and whether there were more than could be told. */
interface Described {
  changes: { change: Change; raw: RawChange }[]
  isCut: boolean
}

/** Where changes are told of, and to whom. */
export interface ChangeReader {
  readonly view: SandboxView
  readonly scope: Ground['scope']
  /** The source of a record as far as the reader may know of it. */
  shownSource(sourceId: string | null): string | null
}

/** Tells the first `limit` of these changes, of the wanted types alone where some are wanted. */
export async function describeChanges(
  { view, scope, shownSource }: ChangeReader,
  raw: readonly RawChange[],
  limit: number,
  types?: ReadonlySet<string>,
): Promise<Described> {
  const changes: Described['changes'] = []
  // What is known to be of another type need not be looked up.
  const possible = types ? raw.filter(({ type }) => type === null || types.has(type)) : raw
  for (let from = 0; from < possible.length; ) {
    const some = possible.slice(from, from + Math.min(LOOKED_UP.max, Math.max(LOOKED_UP.min, limit - changes.length)))
    const records = await readRecords(
      view,
      idsOf(some, 'record').filter((id) => view.graph.hasRecord(id, scope)),
    )
    const names = await readNames(view, scope, idsOf(some, 'entity'))
    for (const [at, each] of some.entries()) {
      if (changes.length === limit) return { changes, isCut: from + at < possible.length }
      const told = { ...each, sourceId: shownSource(each.sourceId) }
      const change = toldChange(told, records.get(each.id), names.get(each.into ?? each.id))
      if (types && !types.has(change.type ?? '')) continue
      changes.push({ change, raw: each })
    }
    from += some.length
  }
  return { changes, isCut: false }
}

function idsOf(changes: readonly RawChange[], kind: RawChange['kind']): string[] {
  const own = changes.filter((each) => each.kind === kind && each.change !== 'removed')
  return [...new Set(own.map(({ id, into }) => into ?? id))]
}

/** A change as it is told, with what is known now of what it is about; with nothing known, by its ids. */
export function toldChange(raw: RawChange, record?: ReadRecord, entity?: NamedEntity): Change {
  const { change, kind, id, into, sourceId, changedAt } = raw
  const { title, occurred_at, type: recordType } = record?.content ?? {}
  const url = linkOf(record?.content.url)
  const type = raw.type ?? (kind === 'record' ? recordType : entity?.type)
  const name = kind === 'record' ? title : entity?.name
  return {
    change,
    kind,
    id,
    ...(into && { into }),
    ...(type && { type }),
    ...(name && { title: name }),
    ...(url && { url }),
    ...(occurred_at && { occurred_at }),
    changed_at: changedAt.toISOString(),
    ...(kind === 'record' && { source_id: sourceId }),
  }
}

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
