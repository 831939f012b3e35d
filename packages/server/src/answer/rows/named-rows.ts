import type { ReadRecord } from '@cairnstore/engine/resolve'
import { observeViews, titleOf, typesNamed, type View } from '@cairnstore/engine/tables'
import { createYieldPoint } from '../../base/yield-point.ts'
import type { Ground } from '../../store/ground.ts'
import type { RecordText } from '../../store/port.ts'
import { createNames, parseRecord, resolveThings } from '../../store/read-records.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'

/** How many records are typed. */
export interface TypedMax {
  /** A sandbox of more is not typed as a whole, only the types that a question names. */
  whole: number
  /** Of those types. */
  named: number
}

/** Who asks for rows, as far as it decides what is typed in a large sandbox. */
export interface RowsAsked {
  /** The question and those before it. */
  texts: readonly string[]
  /** Whether nothing but rows may answer: a large sandbox is typed for no other question. */
  isWanted: boolean
  /** Called before the rows of a large sandbox are waited for. */
  onWait(): void
}

/** Rows that a question can be answered from: what they are kept under, and how they are typed. */
export interface NamedRows {
  key: string
  load(): Promise<View[]>
}

/** The rows of a large sandbox of the types that a question names, or why there are none. */
export function namedRows(
  view: SandboxView,
  { scope }: Ground,
  asked: RowsAsked,
  max: TypedMax,
): NamedRows | { refused: string } {
  const { graph, seal } = view
  const isLarge = `In a sandbox of more than ${max.whole} records`
  // Under a caller's key the types are not known without the content.
  if (seal) return { refused: `${isLarge} under a caller’s key no rows are typed.` }
  if (!asked.isWanted) return { refused: `${isLarge} rows are typed for the preset \`sql\` alone.` }
  const types = typesNamed(graph.typesIn(scope), asked.texts)
  if (types.size === 0) return { refused: `${isLarge} a question for rows names their kind, as “issues” does.` }
  const { ids, version } = graph.recordsOfTypes(types, scope)
  if (ids.length > max.named) return { refused: `There are more than ${max.named} records of the kinds it names.` }
  const within = scope && [scope.projectId, scope.sourceIds && [...scope.sourceIds].sort()]
  // Versions count within one build of a sandbox, which the cache key of a row begins with.
  return {
    key: JSON.stringify([view.cacheKey(0), 'types', version, [...types], within]),
    load: () => loadTypes(view, ids),
  }
}

/** Records read at once. */
const READ_ROWS = 500
/** Other work waits at most so long while records are read. */
const SLICE_MS = 5

/** Typing lets other work in after so long. */
export const TYPING_SLICE_MS = 10

/** Types some records; of each it keeps what rows are made of, which the text is not. */
async function loadTypes(view: SandboxView, ids: readonly string[]): Promise<View[]> {
  const { head, store } = view
  const rows = ids.flatMap((id) => view.rowOf(id) ?? []).sort((one, other) => one - other)
  const records: ReadRecord[] = []
  const names = createNames()
  const breathe = createYieldPoint(SLICE_MS)
  const read = (from: number) => store.recordsAt(head, rows.slice(from, from + READ_ROWS))
  let next: Promise<Map<string, RecordText>> = read(0)
  for (let from = 0; from < rows.length; from += READ_ROWS) {
    const batch = await next
    // The next ones are read while these are parsed; a failure is told when its turn comes.
    next = read(from + READ_ROWS)
    next.catch(() => undefined)
    for (const row of batch.values()) {
      const record = withoutText(resolveThings(view, parseRecord(row)))
      names.add(record)
      records.push(record)
      await breathe()
    }
  }
  return observeViews(records, names.found(), createYieldPoint(TYPING_SLICE_MS))
}

function withoutText(record: ReadRecord): ReadRecord {
  const { type, external_id, title, text, occurred_at, properties, provider } = record.content
  const shown = titleOf(title ?? text ?? external_id)
  return {
    ...record,
    content: {
      type,
      external_id,
      title: shown,
      provider,
      ...(occurred_at !== undefined && { occurred_at }),
      ...(properties !== undefined && { properties }),
    },
  }
}
