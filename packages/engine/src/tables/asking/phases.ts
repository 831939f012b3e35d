import { FIELD_ROLES, phaseOfState, type WorkPhase } from '../../lexicon/work.ts'
import type { Condition, View } from '../plan.ts'

/** The index of the column that says how far work has come. */
export function stateColumn(view: View): number | undefined {
  const at = view.columns.findIndex(({ name, kind }) => kind === 'text' && FIELD_ROLES.state.includes(name))
  return at < 0 ? undefined : at
}

/**
 * The rows whose work is open, or done. Nothing when a state of the view is neither, since then nobody can tell what
 * belongs where.
 */
export function phaseValues(view: View, phase: WorkPhase): Condition | undefined {
  const column = stateColumn(view)
  if (column === undefined) return undefined
  const values: string[] = []
  for (const [cell, label] of view.columns[column]!.labels) {
    const told = phaseOfState(label)
    if (told === undefined) return undefined
    if (told === phase) values.push(cell)
  }
  return { column, is: 'in', values: values.sort() }
}
