import { FIELD_ROLES, isUnfinished, phaseOfState } from '../../lexicon/work.ts'
import type { Condition, View } from '../plan.ts'

/** The index of the column that says how far work has come. */
export function stateColumn(view: View): number | undefined {
  const at = view.columns.findIndex(({ name, kind }) => kind === 'text' && FIELD_ROLES.state.includes(name))
  return at < 0 ? undefined : at
}

/** The column of what records declare of how far they have come. */
export const PHASE_COLUMN = 'phase'

/** Whether a column says how far work has come: by its source's word for it, or by what the record declares. */
export function isOfProgress(view: View, column: number): boolean {
  return column === stateColumn(view) || view.columns[column]?.name === PHASE_COLUMN
}

/**
 * The rows whose work is open, or done. Nothing when a state of the view is neither, since then nobody can tell what
 * belongs where.
 */
export function phaseValues(view: View, asked: 'open' | 'done'): Condition | undefined {
  const state = stateColumn(view)
  const declared = view.columns.findIndex(({ name }) => name === PHASE_COLUMN)
  const isToldByAll = declared >= 0 && view.columns[declared]!.cells.every((cell) => cell !== null)
  const column = isToldByAll ? declared : state
  if (column === undefined) return undefined
  const values: string[] = []
  for (const [cell, label] of view.columns[column]!.labels) {
    const phase = phaseOfState(label)
    if (phase === undefined) return undefined
    if (isUnfinished(phase) === (asked === 'open')) values.push(cell)
  }
  return { column, is: 'in', values: values.sort() }
}
