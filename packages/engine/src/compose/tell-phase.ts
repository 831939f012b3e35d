import type { Phase } from '@cairnstore/contract'
import type { Brief, BriefRecord } from './brief.ts'
import { tellDrafts } from './fit.ts'
import { workLabel } from './open-ends.ts'
import { NAMED_MAX, numberWord, shownCount } from './shown-count.ts'
import { joinAnd, PHASE_WORDS, recordLabel } from './states.ts'

/** Things whose work has come as far as a question asks. */
export interface InPhase {
  readonly phases: readonly Phase[]
  /** The latest of them, and how many there are. */
  readonly records: readonly BriefRecord[]
  readonly total: number
}

/** "Open are NOR-142 “…” (in progress, Jon Berg) and five more.", by what the records declare. Pure. */
export function tellPhase({ phases, records, total }: InPhase, maxTokens: number): Brief {
  const shown = records.filter((record) => recordLabel(record) !== undefined).slice(0, NAMED_MAX)
  const [phase = 'open'] = phases
  const said = PHASE_WORDS[phase]
  const labels = shown.map((record) => workLabel(record, said))
  if (total > shown.length) labels.push(`${numberWord(total - shown.length)} more`)
  const text = `${said[0]!.toUpperCase()}${said.slice(1)} ${total === 1 ? 'is' : 'are'} ${joinAnd(labels)}.`
  const computed = `${shownCount(`${said} by phase`, shown)}; ${numberWord(total - shown.length)} more`
  const recordIds = shown.map(({ id }) => id)
  return tellDrafts([{ role: 'answer', text, recordIds, computed, weight: 1 }], maxTokens, () =>
    shown.map(({ id, title = id }) => ({ canonical_id: id, name: title, relevance: 1 })),
  )
}
