import { terms } from '@cairnstore/engine/text'
import type { Intent } from '@cairnstore/engine/understand'
import { readRecords } from '../store/read-records.ts'
import type { SandboxView } from '../store/sandbox-view.ts'

/**
 * Returns the notes about the interpretation of a question that are relevant for its results. A spelling correction is
 * reported only if a record in the results contains the corrected word.
 */
export async function intentNotes(
  view: SandboxView,
  { notes, respelt }: Pick<Intent, 'notes' | 'respelt'>,
  ids: readonly string[],
): Promise<string[]> {
  if (respelt === undefined) return [...notes]
  const records = await readRecords(view, ids)
  const depends = [...records.values()].some(({ content: { title = '', text = '' }, things }) => {
    const names = things.flatMap(({ thing }) => thing.names.map((name) => name.text))
    const held = new Set(terms([title, text, ...names].join('\n')))
    return respelt.terms.some((term) => held.has(term))
  })
  return depends ? [respelt.note, ...notes] : [...notes]
}
