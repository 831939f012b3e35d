/** The property of a table row that maps columns to the units of their numbers. */
export const CELL_UNITS = 'cell_units'
const UNIT_CHARS_MAX = 16

/** Returns the unit that a record's table gives for a column. */
export function unitOf(properties: Readonly<Record<string, unknown>> | undefined, key: string): string | undefined {
  const units = properties?.[CELL_UNITS]
  if (typeof units !== 'object' || units === null || !Object.hasOwn(units, key)) return undefined
  const unit = (units as Record<string, unknown>)[key]
  return typeof unit === 'string' && unit.length <= UNIT_CHARS_MAX ? unit : undefined
}

/** Returns a number with its unit as text. Returns any other value unchanged. */
export function withUnit(value: unknown, unit: string | undefined): unknown {
  return typeof value === 'number' && unit !== undefined ? writeWithUnit(String(value), unit) : value
}

const BEFORE_NUMBER = /^\p{Sc}$/u
const BEHIND_NUMBER = /^[%°]/

/** Writes a number with its unit: `$12`, `12%`, `12 kg`. */
export function writeWithUnit(number: string, unit: string): string {
  if (BEFORE_NUMBER.test(unit)) return `${unit}${number}`
  return BEHIND_NUMBER.test(unit) ? `${number}${unit}` : `${number} ${unit}`
}
