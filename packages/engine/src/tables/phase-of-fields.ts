import { FIELD_ROLES, phaseOfState, type WorkPhase } from '../lexicon/work.ts'

const CASE = /(?<=\p{Ll})(?=\p{Lu})/gu
const PARTING = /[\s.-]+/gu

/** How far the fields of a record say that its work has come; undefined where none says so. */
export function phaseOfFields(fields: Readonly<Record<string, unknown>>): WorkPhase | undefined {
  const texts = new Map(
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name.replace(CASE, '_').replace(PARTING, '_').toLowerCase(), value] as const] : [],
    ),
  )
  for (const role of FIELD_ROLES.state) {
    const phase = phaseOfState(texts.get(role) ?? '')
    if (phase) return phase
  }
  return undefined
}
