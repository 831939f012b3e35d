/** A setting of a source as a form asks for it. */
export interface SettingField {
  name: string
  description: string
  /** What holds where nothing is typed. */
  placeholder: string
  kind: 'text' | 'secret' | 'number' | 'list' | 'choice' | 'json'
  choices: readonly string[]
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

/** The fields that a provider's schema asks for. */
export function fieldsOf(settings: Record<string, unknown>, credential: string | null): SettingField[] {
  const { properties = {}, required = [] } = settings as { properties?: Record<string, Schema>; required?: string[] }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    description: schema.description ?? '',
    placeholder: schema.default === undefined ? '' : String(schema.default),
    kind: name === credential || schema.writeOnly ? 'secret' : kindOf(schema),
    choices: (schema.enum ?? []).filter((each): each is string => typeof each === 'string'),
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

/** What was typed, as the API takes it; what was left empty is left out. Throws SyntaxError for JSON that is none. */
export function valuesOf(fields: readonly SettingField[], typed: Readonly<Record<string, string>>) {
  const values: Record<string, unknown> = {}
  for (const { name, kind } of fields) {
    const text = typed[name]?.trim() ?? ''
    if (text === '') continue
    if (kind === 'number') values[name] = Number(text)
    else if (kind === 'list') values[name] = text.split(/[\n,]/).flatMap((each) => each.trim() || [])
    else if (kind === 'json') values[name] = JSON.parse(text)
    else values[name] = text
  }
  return values
}
