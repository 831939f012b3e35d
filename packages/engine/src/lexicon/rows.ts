import { entriesOf, type Written } from './entries.ts'
import lists from './rows.json' with { type: 'json' }

const { nouns, ...phrases } = lists

function listsOf<Name extends string>(written: Record<Name, Written>): Record<Name, readonly string[]> {
  const read = Object.entries<Written>(written).map(([name, list]) => [name, entriesOf(list)])
  return Object.fromEntries(read) as Record<Name, readonly string[]>
}

/** The English phrases by which a question asks for rows, by what they say. */
export const ROWS = listsOf(phrases)
/** What rows of a type are called beside the type's own name, in the singular. */
export const ROW_NOUNS = listsOf(nouns)
