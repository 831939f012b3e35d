import type { Phase } from '@cairnstore/contract'
import { FIELD_ROLES, phaseOfState } from '../lexicon/work.ts'
import { FIELD_NAMES, type FieldName, type RecordContent } from './record-content.ts'

export { isUnfinished, phaseOfState } from '../lexicon/work.ts'

/** The tracker's own category of a state, under which connectors kept it before records declared a phase. */
const CATEGORY = 'state_type'
const CASE = /(?<=\p{Ll})(?=\p{Lu})/gu
const PARTING = /[\s.-]+/gu
const DAY = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d.*)?$/
const NAME_CHARS_MAX = 120

/**
 * The record with what its properties say of how it stands, where it does not declare that itself: the phase, the owner
 * and the day that it is due. `basis` says that it was guessed. What is kept of a tracker's category is no guess.
 */
export function withFields<T extends RecordContent>(content: T): T {
  const { properties } = content
  if (!properties) return content
  const told = textsOf(properties)
  const guessed: Pick<RecordContent, FieldName> = {}
  const category = content.phase ? undefined : phaseOfState(told.get(CATEGORY) ?? '')
  const phase = content.phase ?? category ?? phaseIn(told)
  const owner = content.owner ?? firstOf(told, FIELD_ROLES.owner)
  const due = content.due ?? dayIn(told)
  if (phase && !content.phase && !category) guessed.phase = phase
  if (owner && !content.owner) guessed.owner = owner
  if (due && !content.due) guessed.due = due
  const names = Object.keys(guessed)
  if (names.length === 0) return category ? { ...content, phase: category } : content
  const basis = { ...content.basis, ...Object.fromEntries(names.map((name) => [name, 'guessed' as const])) }
  return { ...content, ...(category && { phase: category }), ...guessed, basis }
}

/** The record as its source sent it, without the fields that were read from its text. */
export function withoutFields<T extends RecordContent>(content: T): T {
  const { basis, ...said } = content
  if (!basis) return content
  for (const name of FIELD_NAMES) if (basis[name]) delete said[name]
  return said as T
}

/** Fields with a short text, by their names in snake case. */
function textsOf(fields: Readonly<Record<string, unknown>>): Map<string, string> {
  return new Map(
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === 'string' && value.trim() !== '' && value.length <= NAME_CHARS_MAX
        ? [[name.replace(CASE, '_').replace(PARTING, '_').toLowerCase(), value.trim()] as const]
        : [],
    ),
  )
}

function phaseIn(told: ReadonlyMap<string, string>): Phase | undefined {
  for (const name of FIELD_ROLES.state) {
    const phase = phaseOfState(told.get(name) ?? '')
    if (phase) return phase
  }
  return undefined
}

function dayIn(told: ReadonlyMap<string, string>): string | undefined {
  const due = firstOf(told, FIELD_ROLES.due)
  if (due === undefined || !DAY.test(due)) return undefined
  const at = Date.parse(due)
  return Number.isNaN(at) ? undefined : due.includes('T') ? new Date(at).toISOString() : due
}

function firstOf(told: ReadonlyMap<string, string>, names: readonly string[]): string | undefined {
  return names.map((name) => told.get(name)).find((value) => value !== undefined)
}
