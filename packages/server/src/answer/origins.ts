import type { Id, OriginFile, Origins, OriginsAsked } from '@cairnstore/contract'
import type { ReadRecord } from '@cairnstore/engine/resolve'
import { type Ground, openGround, shownSource } from '../store/ground.ts'
import { readRecords } from '../store/read-records.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import type { Ctx } from './context.ts'
import { toSummary } from './entities/wire-record.ts'
import { filePaths } from './file-paths.ts'
import { assertQueryable } from './question.ts'

const ORIGINS_PER_ID = 10
/** Records in which the files of one request are looked for, shared evenly by its ids. */
const RECORDS_READ_MAX = 10_000
/** Records in which the files of one id are looked for: its own first, then those that name it most. */
const RECORDS_PER_ID_MAX = 1_000

/** Tells which files and records each id comes from, in the order asked; an id unknown in the scope has none. */
export async function origins(
  ctx: Pick<Ctx, 'caller' | 'key' | 'knowledge' | 'sql'>,
  reach: Reach,
  asked: OriginsAsked,
): Promise<Origins> {
  assertQueryable(reach)
  const { ground, view } = await openGround(ctx, reach, asked.project_id)
  const ids = [...new Set(asked.canonical_ids)]
  const perId = Math.min(RECORDS_PER_ID_MAX, Math.floor(RECORDS_READ_MAX / ids.length))
  const recordIds = new Map(ids.map((id) => [id, recordsOf(view, ground, id, perId)]))
  const records = await readRecords(view, [...new Set([...recordIds.values()].flat())])
  const limit = asked.limit_per_canonical ?? ORIGINS_PER_ID
  return {
    sandbox_id: reach.sandboxId as Id<'sandbox'>,
    origins: asked.canonical_ids.map((id) => {
      const own = (recordIds.get(id) ?? []).flatMap((recordId) => records.get(recordId) ?? [])
      return {
        canonical_id: id,
        files: countFiles(own).slice(0, limit),
        records: own.slice(0, limit).map((record) => toSummary(record, shownSource(reach, ground, record.sourceId))),
      }
    }),
  }
}

function recordsOf(view: SandboxView, { scope }: Ground, id: string, limit: number): string[] {
  if (view.graph.hasRecord(id, scope)) return [id]
  return view.graph.recordsOf(view.graph.standsFor(view.canonical(id), scope), scope, limit)
}

function countFiles(records: readonly ReadRecord[]): OriginFile[] {
  const counts = new Map<string, number>()
  for (const { content, things } of records) {
    for (const path of filePaths(content, things)) counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  return [...counts]
    .sort(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1))
    .map(([path, count]) => ({ file_path: path, extraction_count: count }))
}
