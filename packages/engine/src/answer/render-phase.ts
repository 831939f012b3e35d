import type { Phase } from '@cairnstore/contract'
import { type ListedTask, tasksIn } from '../text/tasks.ts'
import { terms } from '../text/terms.ts'
import type { Brief, BriefRecord, Draft } from './brief.ts'
import { renderDrafts } from './fit.ts'
import { workLabel } from './open-items.ts'
import { sourceOf } from './render.ts'
import { NAMED_MAX, numberWord, shownCount } from './shown-count.ts'
import { joinAnd, PHASE_WORDS, recordLabel } from './states.ts'

/** Records in the phases that a question asks for. */
export interface PhaseRecords {
  readonly phases: readonly Phase[]
  /** The latest of these records. `total` is the number of all. */
  readonly records: readonly BriefRecord[]
  readonly total: number
  /** Records whose texts contain task lists, latest first. */
  readonly listing: readonly BriefRecord[]
}

/** Maximum number of tasks that one statement lists. */
const TASKS_MAX = 12

/**
 * Renders "Open are NOR-142 “…” (in progress, Jon Berg) and five more.", followed by the open or completed tasks in
 * texts. Returns undefined if there are none. The function is pure.
 */
export function renderPhase({ phases, records, total, listing }: PhaseRecords, maxTokens: number): Brief | undefined {
  const asked = (['open', 'done'] as const).find((each) => phases.includes(each))
  const tasks = asked ? tasksDrafts(listing, asked === 'done') : []
  const drafts = [...(total > 0 ? [declaredDraft({ phases, records, total })] : []), ...tasks]
  if (drafts.length === 0) return undefined
  const remaining = new Set(drafts.flatMap(({ recordIds }) => recordIds))
  const cited = [...records, ...listing].filter(({ id }) => remaining.delete(id))
  return renderDrafts(drafts, maxTokens, () =>
    cited.map(({ id, title = id }) => ({ canonical_id: id, name: title, relevance: 1 })),
  )
}

function declaredDraft({ phases: [phase = 'open'], records, total }: Omit<PhaseRecords, 'listing'>): Draft {
  const shown = records.filter((record) => recordLabel(record) !== undefined).slice(0, NAMED_MAX)
  const said = PHASE_WORDS[phase]
  const labels = shown.map((record) => workLabel(record, said))
  if (total > shown.length) labels.push(`${numberWord(total - shown.length)} more`)
  const text = `${said[0]!.toUpperCase()}${said.slice(1)} ${total === 1 ? 'is' : 'are'} ${joinAnd(labels)}.`
  const computed = `${shownCount(`${said} by phase`, shown)}; ${numberWord(total - shown.length)} more`
  return { role: 'answer', text, recordIds: shown.map(({ id }) => id), computed, weight: 1 }
}

/** Renders tasks in one line after their heading. Also names the record, unless the heading is its title. */
function listText(head: string, items: readonly string[], record: BriefRecord): string {
  const source = sourceOf(record)
  const list = items.flatMap((item) => item.replace(/[.;,]$/u, '') || []).join('; ')
  return `${head}: ${list}${source === head ? '' : ` (${source})`}.`
}

/** Renders the tasks of the records. If several records list the same task, its state in the latest one counts. */
function tasksDrafts(listing: readonly BriefRecord[], areDone: boolean): Draft[] {
  const known = new Set<string>()
  return listing.flatMap((record, at) => {
    const byHeading = new Map<string, string[]>()
    for (const { text, isDone, heading } of takeNew(tasksIn(record.text ?? ''), known)) {
      if (isDone !== areDone) continue
      byHeading.set(heading, [...(byHeading.get(heading) ?? []), text])
    }
    return [...byHeading].map(([heading, tasks]) => {
      const head = heading || (record.title ?? record.id)
      const more = tasks.length > TASKS_MAX ? [`${numberWord(tasks.length - TASKS_MAX)} more`] : []
      const text = listText(head, [...tasks.slice(0, TASKS_MAX), ...more], record)
      const computed = `${numberWord(tasks.length)} (${tasks.length}) ${areDone ? '' : 'not '}ticked`
      return { role: 'answer', text, recordIds: [record.id], computed, weight: 1 / (at + 1) } satisfies Draft
    })
  })
}

/** Returns the tasks that are not in `known` and adds them to it. */
function takeNew(tasks: readonly ListedTask[], known: Set<string>): ListedTask[] {
  return tasks.filter(({ text }) => {
    const key = terms(text).sort().join(' ') || text
    const isNew = !known.has(key)
    known.add(key)
    return isNew
  })
}
