import type { Id, ListOrigins, OriginFile, Origins } from '@cairnstore/contract'
import type { ReadRecord } from '@cairnstore/engine/resolve'
import { readRecords } from '../store/read-records.ts'
import { openSnapshot, type ReadSnapshot, visibleSource } from '../store/read-snapshot.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import type { AnswerCtx } from './context.ts'
import { toSummary } from './entities/wire-record.ts'
import { assertQueryable } from './read-intent.ts'

const ORIGINS_PER_ID = 10
/** Maximum number of records that one request searches for files. It is divided evenly among the ids. */
const RECORDS_READ_MAX = 10_000
/**
 * Maximum number of records that are searched for the files of one id. Records that describe it come first, then those
 * that mention it most often.
 */
const RECORDS_PER_ID_MAX = 1_000

/** Returns the source files and records of each id, in request order. An id unknown in the scope has none. */
export async function origins(
  ctx: Pick<AnswerCtx, 'caller' | 'key' | 'knowledge' | 'sql'>,
  access: AccessScope,
  asked: ListOrigins,
): Promise<Origins> {
  assertQueryable(access)
  const { snapshot, view } = await openSnapshot(ctx, access, asked.project_id)
  const ids = [...new Set(asked.canonical_ids)]
  const perId = Math.min(RECORDS_PER_ID_MAX, Math.floor(RECORDS_READ_MAX / ids.length))
  const recordIds = new Map(ids.map((id) => [id, recordsOf(view, snapshot, id, perId)]))
  const records = await readRecords(view, [...new Set([...recordIds.values()].flat())])
  const limit = asked.limit_per_canonical ?? ORIGINS_PER_ID
  return {
    sandbox_id: access.sandboxId as Id<'sandbox'>,
    origins: asked.canonical_ids.map((id) => {
      const own = (recordIds.get(id) ?? []).flatMap((recordId) => records.get(recordId) ?? [])
      return {
        canonical_id: id,
        files: countFiles(own).slice(0, limit),
        records: own
          .slice(0, limit)
          .map((record) => toSummary(record, visibleSource(access, snapshot, record.sourceId))),
      }
    }),
  }
}

function recordsOf(view: SandboxView, { scope }: ReadSnapshot, id: string, limit: number): string[] {
  if (view.graph.hasRecord(id, scope)) return [id]
  return view.graph.recordsOf(view.graph.declaredNamesake(view.canonical(id), scope), scope, limit)
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

/** Properties that contain a file path or a list of paths. */
const PATH_PROPERTIES = ['path', 'file_path', 'file_paths', 'files']

/** Returns the content without the properties that contain only a file path. The path is shown separately. */
export function withoutPaths<C extends ReadRecord['content']>(content: C): C {
  const { properties } = content
  if (!properties || !PATH_PROPERTIES.some((name) => name in properties)) return content
  const others = Object.entries(properties).filter(([name]) => !PATH_PROPERTIES.includes(name))
  return { ...content, properties: Object.fromEntries(others) }
}

/** Matches a path with a folder and an extension that is not inside a URL. */
const PATH =
  /(?<![\w/.:@-])(?:\.{0,2}\/)?(?:[\w@-][\w.@-]{0,99}\/){1,12}[\w.@-]{0,99}\.[A-Za-z][A-Za-z0-9]{0,7}(?![\w/])/g
/** Maximum number of characters of a text that are searched for paths, and maximum number of paths that are shown. */
const TEXT_CHARS_MAX = 20_000
const TEXT_PATHS_MAX = 10

/**
 * Returns the distinct files that a record names: in properties, as declared entities of type `file`, and as paths in
 * its text.
 */
export function filePaths({ properties, text }: ReadRecord['content'], things: ReadRecord['things']): string[] {
  const declared = things.flatMap(({ thing }) => (thing.type === 'file' ? [thing.names[0]?.text] : []))
  const given = PATH_PROPERTIES.flatMap((name) => properties?.[name])
  const mentioned = text?.slice(0, TEXT_CHARS_MAX).match(PATH)?.slice(0, TEXT_PATHS_MAX) ?? []
  return [...new Set([...given, ...declared, ...mentioned])].filter(
    (path): path is string => typeof path === 'string' && path !== '',
  )
}
