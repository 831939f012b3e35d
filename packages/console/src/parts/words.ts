import { fromApi, t } from '../language/language.ts'
import { day } from './format.ts'
import { plain, plainLine } from './plain.ts'

const DATE = /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?$/
/** Maximum depth of nested values shown; deeper values are omitted. */
const DEPTH_MAX = 3

/** Returns a type name as words: `pull_request` becomes "pull request". */
export function typeName(type: string): string {
  return fromApi(plain(type).replaceAll('_', ' '))
}

/** Returns an audit event in words, such as "Source created". */
export function eventLabel(event: string): string {
  return labelOf(event.replace('.', ' '))
}

/** Returns a field name as a label: `due_date` becomes "Due date". */
export function labelOf(name: string): string {
  const words = plainLine(typeName(name))
    .replace(/\burl\b/g, 'URL')
    .replace(/\bid\b/g, 'ID')
  return fromApi(`${words.charAt(0).toUpperCase()}${words.slice(1)}`)
}

/** Formats a value for people. */
export function formatValue(value: unknown, depth = 0): string {
  if (typeof value === 'boolean') return value ? t('yes') : t('no')
  if (typeof value === 'string') return DATE.test(value) ? day(value) : plainLine(value)
  if (typeof value !== 'object' || value === null) return String(value ?? '')
  if (depth === DEPTH_MAX) return '…'
  const parts = Object.entries(value).map(([name, each]) => {
    return `${Array.isArray(value) ? '' : `${name}: `}${formatValue(each, depth + 1)}`
  })
  return plainLine(parts.join(', '))
}
