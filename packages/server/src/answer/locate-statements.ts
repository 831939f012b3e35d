import { type Id, type InterpretCitation, SPANS_MAX, type TextSpan } from '@cairnstore/contract'
import { locate } from '@cairnstore/engine/compose'
import { readRecords } from '../store/read-records.ts'
import type { SandboxView } from '../store/sandbox-view.ts'

/** Records of one statement in which it is looked for; a count of more was computed. */
const RECORDS_MAX = 10

/** Where the records of each statement say it. */
export async function locateStatements(
  view: SandboxView,
  statements: readonly { readonly text: string; readonly recordIds: readonly string[] }[],
): Promise<TextSpan[][]> {
  const looked = statements.map(({ recordIds }) => recordIds.slice(0, RECORDS_MAX))
  const records = await readRecords(view, [...new Set(looked.flat())])
  return statements.map(({ text }, at) =>
    looked[at]!.flatMap((id) => {
      const record = records.get(id)
      return record ? locate(text, record.content).map((span) => ({ record_id: id as Id<'record'>, ...span })) : []
    }),
  )
}

/** The citations with what was taken from their records. */
export function withSpans(citations: readonly InterpretCitation[], spans: readonly TextSpan[]): InterpretCitation[] {
  return citations.map((citation) => {
    const own = spans.filter(({ record_id: id }) => citation.record_ids.includes(id)).slice(0, SPANS_MAX)
    return own.length > 0 ? { ...citation, spans: own } : citation
  })
}
