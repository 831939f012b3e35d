import type { Change } from '@cairnstore/contract'
import type { NamedEntity, ReadRecord } from '@cairnstore/engine/resolve'
import { linkOf } from '../../base/link.ts'
import type { RecordChanges, StoredChanges } from '../../store/changes.ts'
import { readNames, readRecords } from '../../store/read-records.ts'
import type { ReadSnapshot } from '../../store/read-snapshot.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'

/** Minimum and maximum number of changes that are looked up in one step. */
const LOOKED_UP = { min: 20, max: 200 }

/** Changes with the current data of their records and entities. `isCut` is true if the limit was reached. */
interface DescribedChanges {
  changes: { change: Change; raw: RawChange }[]
  isCut: boolean
}

/** Access scope of the caller who reads the changes, and the view of the sandbox. */
export interface ChangeReader {
  readonly view: SandboxView
  readonly scope: ReadSnapshot['scope']
  /** Returns a record's source id, or null if the caller may not see the source. */
  shownSource(sourceId: string | null): string | null
}

/** Describes the first `limit` of these changes. If `types` is given, describes only changes of those types. */
export async function describeChanges(
  { view, scope, shownSource }: ChangeReader,
  raw: readonly RawChange[],
  limit: number,
  types?: ReadonlySet<string>,
): Promise<DescribedChanges> {
  const changes: DescribedChanges['changes'] = []
  // Changes of another known type need no look-up.
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
      const visible = { ...each, sourceId: shownSource(each.sourceId) }
      const change = toChange(visible, records.get(each.id), names.get(each.into ?? each.id))
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

/** Returns the wire form of a change, with the current data of its record or entity if given. */
export function toChange(raw: RawChange, record?: ReadRecord, entity?: NamedEntity): Change {
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

/** A change as stored, by ids. */
export interface RawChange extends Pick<Change, 'change' | 'kind' | 'id' | 'into'> {
  readonly type: string | null
  readonly sourceId: string | null
  readonly seq: number
  /** Index of the change in its commit. */
  readonly at: number
  readonly changedAt: Date
}

/** A position in the sequence of changes: the commit, and the index of the next change in it. */
export interface Position {
  readonly seq: number
  readonly at: number
}

export function isBefore({ seq, at }: Position, end: Position): boolean {
  return seq < end.seq || (seq === end.seq && at < end.at)
}

/** Returns the changes of a commit that the scope may see. Each has its index among all changes of the commit. */
export function changesIn(commit: StoredChanges, scope: ReadSnapshot['scope']): RawChange[] {
  const all: (RawChange & { isShown: boolean })[] = []
  const add = (
    { type, ...fields }: Pick<RawChange, 'change' | 'kind' | 'id' | 'into' | 'type' | 'sourceId'>,
    isShown: boolean,
  ) => all.push({ ...fields, type, seq: commit.seq, at: all.length, changedAt: commit.at, isShown })
  const inside = new Set(commit.records.filter((group) => sees(scope, group)).flatMap((group) => group.changed))
  for (const group of commit.records) {
    const isShown = sees(scope, group)
    const of = { kind: 'record' as const, type: group.type, sourceId: group.source }
    for (const change of ['added', 'changed', 'removed'] as const)
      for (const id of group[change]) add({ ...of, change, id }, isShown)
    // A record moved to another project. For a scope limited to the old project, it was removed.
    for (const id of group.left) add({ ...of, change: 'removed', id }, scope !== null && isShown && !inside.has(id))
  }
  // An entity combines records of the whole sandbox, so changes of entities are not visible in a limited scope.
  for (const group of scope === null ? commit.entities : []) {
    const of = { kind: 'entity' as const, type: group.type, sourceId: null }
    for (const change of ['added', 'changed', 'removed'] as const)
      for (const id of group[change]) add({ ...of, change, id }, true)
    for (const [id, into] of group.merged) add({ ...of, change: 'merged', id, into }, true)
  }
  return all.flatMap(({ isShown, ...change }) => (isShown ? change : []))
}

/** Returns true if records of a source and project are in the scope, by the same rules as in the graph. */
function sees(scope: ReadSnapshot['scope'], { project, source }: RecordChanges): boolean {
  if (scope === null) return true
  if (project !== null) return project === scope.projectId
  return source !== null && scope.sourceIds?.has(source) === true
}
