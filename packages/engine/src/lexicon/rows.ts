import { entriesOf, type Written } from './entries.ts'
import lists from './rows.json' with { type: 'json' }

function listsOf<Name extends string>(written: Record<Name, Written>): Record<Name, readonly string[]> {
  const read = Object.entries<Written>(written).map(([name, list]) => [name, entriesOf(list)])
  return Object.fromEntries(read) as Record<Name, readonly string[]>
}

/** The English phrases by which a question asks for rows, by what they say. */
export const ROWS = listsOf(lists)
