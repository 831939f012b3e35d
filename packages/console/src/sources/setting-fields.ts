/** A form field for a setting of a source. */
export interface SettingField {
  name: string
  /** Label of the field, if it differs from the name. */
  label?: string
  description: string
  /** The default value, shown while the field is empty. */
  placeholder: string
  kind: 'text' | 'secret' | 'number' | 'list' | 'choice' | 'json'
  choices: readonly { value: string; label: string }[]
  isRequired: boolean
}

interface Schema {
  type?: string | readonly string[]
  description?: string
  default?: unknown
  enum?: readonly unknown[]
  items?: { type?: string }
  writeOnly?: boolean
}

/** Returns the form fields for a provider's settings schema. */
export function fieldsOf(settings: Record<string, unknown>, credential: string | null): SettingField[] {
  const { properties = {}, required = [] } = settings as { properties?: Record<string, Schema>; required?: string[] }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    description: schema.description ?? '',
    placeholder: schema.default === undefined ? '' : String(schema.default),
    kind: name === credential || schema.writeOnly ? 'secret' : kindOf(schema),
    choices: (schema.enum ?? []).flatMap((each) => (typeof each === 'string' ? [{ value: each, label: each }] : [])),
    isRequired: required.includes(name),
  }))
}

function kindOf({ type, enum: choices, items }: Schema): SettingField['kind'] {
  const types = typeof type === 'string' ? [type] : (type ?? [])
  if (choices) return 'choice'
  if (types.includes('integer') || types.includes('number')) return 'number'
  if (types.includes('array')) return items?.type === 'string' || items === undefined ? 'list' : 'json'
  return types.includes('object') ? 'json' : 'text'
}

/** Converts the typed values for the API and omits empty ones. Throws SyntaxError for invalid JSON. */
export function valuesOf(fields: readonly SettingField[], typed: Readonly<Record<string, string>>) {
  const values: Record<string, unknown> = {}
  for (const { name, kind, choices, isRequired } of fields) {
    // A required choice field shows its first option until one is selected.
    const text = typed[name]?.trim() || (kind === 'choice' && isRequired && choices[0]?.value) || ''
    if (text === '') continue
    if (kind === 'number') values[name] = Number(text)
    else if (kind === 'list') values[name] = text.split(/[\n,]/).flatMap((each) => each.trim() || [])
    else if (kind === 'json') values[name] = JSON.parse(text)
    else values[name] = text
  }
  return values
}
