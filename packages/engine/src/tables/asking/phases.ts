import { pattern } from '../../text/pattern.ts'
import type { Condition, View } from '../plan.ts'

/** Columns that say how far work has come, by the names that tools give them. */
const STATE_NAMES = ['state', 'status', 'stage', 'phase']
const DONE = pattern(
  '',
  '^(done|closed|merged|fixed|resolved|shipped|completed?|finished|released|deployed|cancell?ed|rejected|declined|',
  'duplicate|archived)$',
)
const OPEN = pattern(
  '',
  '^(open|todo|to do|new|backlog|triage|unstarted|started|in progress|doing|in review|review|',
  'ready|blocked|on hold|waiting|pending|reopened|draft|planned|scheduled|active)$',
)

/** The index of the column that says how far work has come. */
export function stateColumn(view: View): number | undefined {
  const at = view.columns.findIndex(({ name, kind }) => kind === 'text' && STATE_NAMES.includes(name))
  return at < 0 ? undefined : at
}

/**
 * The rows whose work is open, or done. Nothing when a state of the view is neither, since then nobody can tell what
 * belongs where.
 */
export function phaseValues(view: View, phase: 'open' | 'done'): Condition | undefined {
  const column = stateColumn(view)
  if (column === undefined) return undefined
  const values: string[] = []
  for (const [cell, label] of view.columns[column]!.labels) {
    const words = label.toLowerCase().replaceAll(/[_-]/g, ' ').trim()
    const isDone = DONE.test(words)
    if (!isDone && !OPEN.test(words)) return undefined
    if (isDone === (phase === 'done')) values.push(cell)
  }
  return { column, is: 'in', values: values.sort() }
}
