/** The property in which rows of tables say the units of their numbers, by column. */
export const CELL_UNITS = 'cell_units'
const UNIT_CHARS_MAX = 16

/** The unit of a record's number, by what its table says. */
export function unitOf(properties: Readonly<Record<string, unknown>> | undefined, key: string): string | undefined {
  const units = properties?.[CELL_UNITS]
  if (typeof units !== 'object' || units === null || !Object.hasOwn(units, key)) return undefined
  const unit = (units as Record<string, unknown>)[key]
  return typeof unit === 'string' && unit.length <= UNIT_CHARS_MAX ? unit : undefined
}

/** A number with its unit, as a text. */
export function withUnit(value: unknown, unit: string | undefined): unknown {
  return typeof value === 'number' && unit !== undefined ? `${value} ${unit}` : value
}
