import { decisionsOf, decodeEntity, type Entity, type NamedEntity } from '@cairnstore/engine/resolve'
import { findMentions } from '../../store/mentions.ts'
import { namesOf, parseRecord, resolveMentions } from '../../store/read-records.ts'
import { type ReadSnapshot, visibleSource } from '../../store/read-snapshot.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { projectsIn, sourceIdsOf, wireProject } from '../../tenancy/projects/store.ts'
import { sourcesIn } from '../../tenancy/sources/source-rows.ts'
import type { AnswerCtx } from '../context.ts'
import { wireRecord } from './wire-record.ts'

const BATCH_ROWS = 500

/**
 * Yields the export, one object per line with its `kind`: sources and projects, records in scope, users' decisions
 * about entities, and the entities that the records declare. Some fields are needed only for an import.
 */
export async function* exportLines(
  ctx: Pick<AnswerCtx, 'sql'>,
  view: SandboxView,
  snapshot: ReadSnapshot,
  access: AccessScope,
): AsyncGenerator<object> {
  const entities = new Map<string, NamedEntity>()
  let isFirst = true
  for await (const batch of view.store.scanRecords(view.head, { batchRows: BATCH_ROWS })) {
    const records = batch
      .filter((row) => view.graph.hasRecord(row.id, snapshot.scope))
      .map((row) => resolveMentions(view, parseRecord(row)))
    if (isFirst && records.length > 0) {
      yield* await places(ctx, access)
      isFirst = false
    }
    for (const [id, named] of namesOf(records)) entities.set(id, join(entities.get(id), named))
    for (const record of records) {
      const { storage_only, as_of, from_owner } = record.content
      const sourceId = visibleSource(access, snapshot, record.sourceId)
      const mentions = findMentions(view, snapshot.scope, record.content)
      const importFields = {
        ...(storage_only && { storage_only }),
        ...(as_of && { as_of }),
        ...(from_owner && { from_owner }),
      }
      const { kind, ...shown } = wireRecord({ ...record, sourceId }, access.sandboxId, mentions)
      yield { kind: 'record', ...shown, ...(kind && { record_kind: kind }), ...importFields }
    }
  }
  // Decisions depend on records of the whole sandbox, so they are not visible in a limited scope.
  if (!snapshot.scope) yield* decisions(view, [...entities.keys()])
  for (const { canonicalId, type, name, aliases } of entities.values()) {
    yield { kind: 'entity', canonical_id: canonicalId, type, name, aliases }
  }
}

/** Yields the users' decisions on these entities, so that an import can repeat them. */
async function* decisions(view: SandboxView, ids: readonly string[]): AsyncGenerator<object> {
  const all: Entity[] = []
  for (let at = 0; at < ids.length; at += BATCH_ROWS) {
    const rows = await view.store.entitiesAt(view.head, view.entityRowsOf(ids.slice(at, at + BATCH_ROWS)))
    // An entity that consists of one part was never merged or split.
    all.push(...[...rows.values()].map(decodeEntity).filter((entity) => entity.parts))
  }
  for (const decision of decisionsOf(all)) yield { kind: 'decision', ...decision }
}

/** Returns the sources, then the projects with their sources, with the fields that an import needs. */
async function places(ctx: Pick<AnswerCtx, 'sql'>, access: AccessScope): Promise<object[]> {
  return ctx.sql.transact(access.holderId, async (tx) => {
    const sources = await sourcesIn(tx, access)
      .select(['source.id', 'source.provider', 'source.name'])
      .orderBy('source.id')
      .execute()
    const projects = await projectsIn(tx, access).selectAll().where('status', '=', 'active').orderBy('id').execute()
    const linked = await sourceIdsOf(
      tx,
      access,
      projects.map(({ id }) => id),
    )
    return [
      ...sources.map(({ id, provider, name }) => ({ kind: 'source', source_id: id, provider, name })),
      ...projects.map((row) => {
        const { project_id, name, description, metadata, data_source_ids } = wireProject(row, linked.get(row.id) ?? [])
        return { kind: 'project', project_id, name, description, metadata, data_source_ids }
      }),
    ]
  })
}

function join(known: NamedEntity | undefined, named: NamedEntity): NamedEntity {
  if (!known) return named
  const aliases = [...known.aliases, named.name, ...named.aliases].filter((alias) => alias !== known.name)
  return { ...known, aliases: [...new Set(aliases)] }
}
