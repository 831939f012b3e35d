import type { Change } from '@cairn/contract'
import type { NamedEntity, ReadRecord } from '@cairn/engine/resolve'
import { type Ground, shownSource } from '../../store/ground.ts'
import { readNames, readRecords } from '../../store/read-records.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import type { RawChange } from './raw-change.ts'

/** Changes that are looked up together. */
const LOOKED_UP = { min: 20, max: 200 }

/** Changes with what is known now of what they are about, and whether there were more than could be told. */
export interface Described {
  changes: { change: Change; raw: RawChange }[]
  isCut: boolean
}

/** Tells the first `limit` of these changes, of the wanted types alone where some are wanted. */
export async function describeChanges(
  reach: Reach,
  { ground, view }: { ground: Ground; view: SandboxView },
  raw: readonly RawChange[],
  limit: number,
  types: ReadonlySet<string> | undefined,
): Promise<Described> {
  const changes: Described['changes'] = []
  // What is known to be of another type need not be looked up.
  const possible = types ? raw.filter(({ type }) => type === null || types.has(type)) : raw
  for (let from = 0; from < possible.length; ) {
    const some = possible.slice(from, from + Math.min(LOOKED_UP.max, Math.max(LOOKED_UP.min, limit - changes.length)))
    const records = await readRecords(
      view,
      idsOf(some, 'record').filter((id) => view.graph.hasRecord(id, ground.scope)),
    )
    const names = await readNames(view, ground.scope, idsOf(some, 'entity'))
    for (const [at, each] of some.entries()) {
      if (changes.length === limit) return { changes, isCut: from + at < possible.length }
      const change = describe(each, records.get(each.id), names.get(each.into ?? each.id))
      if (types && !types.has(change.type ?? '')) continue
      const source = each.kind === 'record' && { source_id: shownSource(reach, ground, each.sourceId) }
      changes.push({ change: { ...change, ...source }, raw: each })
    }
    from += some.length
  }
  return { changes, isCut: false }
}

function idsOf(changes: readonly RawChange[], kind: RawChange['kind']): string[] {
  const own = changes.filter((each) => each.kind === kind && each.change !== 'removed')
  return [...new Set(own.map(({ id, into }) => into ?? id))]
}

function describe(raw: RawChange, record: ReadRecord | undefined, entity: NamedEntity | undefined): Change {
  const { change, kind, id, into, changedAt } = raw
  const { title, url, occurred_at, type: recordType } = record?.content ?? {}
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
  }
}
