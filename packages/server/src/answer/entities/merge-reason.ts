import { withoutSite } from '@cairn/engine/resolve'
import type { Row } from '../../db/tables.ts'

/** Identifiers that a reason names; the evidence has all of them. */
const NAMED_MAX = 3

const KIND_WORDS = new Map(
  Object.entries({
    email: 'e-mail address',
    url: 'web address',
    login: 'login',
    key: 'number',
    ref: 'record',
  }),
)

/** Why two things are one, in a few words that a person can check. */
export function reasonOf({ kind, evidence }: Pick<Row<'merge_ledger'>, 'kind' | 'evidence'>): string {
  if (kind === 'person') return 'a person said that they are one'
  if (kind === 'split') return 'a person said that they are two'
  if (kind === 'alike' || kind === 'name') return String(evidence.reason ?? 'the same name, and nothing contradicts')
  const keys = Array.isArray(evidence.keys) ? evidence.keys.map(String) : []
  const told = keys.filter((key) => !key.startsWith('ref:')).slice(0, NAMED_MAX)
  return told.length > 0 ? `same ${told.map(spelled).join(', ')}` : 'a record that names both'
}

function spelled(key: string): string {
  const [kind = '', ...rest] = withoutSite(key).split(':')
  // A login stands behind its provider.
  const value = rest.length > 1 && kind !== 'url' ? rest.slice(1).join(':') : rest.join(':')
  return `${KIND_WORDS.get(kind) ?? kind.replace(/_/g, ' ')} ${value}`
}
