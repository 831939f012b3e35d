import { anyOf, entriesOf } from './entries.ts'
import lists from './predicates.json' with { type: 'json' }

const ONE_OF = [lists.states, lists.dates, lists.holders, lists.places]
/** One subject at a time holds such a role for a thing ("leads"), so a later subject ends the earlier one. */
export const ROLE = new RegExp(
  `^(?:${anyOf(entriesOf(lists.roles))}|is (?:the )?${anyOf(entriesOf(lists.titles))}(?: of)?)$`,
)
/** A thing has one value of these predicates at a time, so a later value ends the earlier one. */
export const ONE_AT_A_TIME = new RegExp(`^${anyOf(...ONE_OF.map(entriesOf))}$`)
