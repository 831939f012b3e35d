import { anyOf, entriesOf } from './entries.ts'
import lists from './predicates.json' with { type: 'json' }

const ONE_OF = [lists.states, lists.dates, lists.holders, lists.places, lists.people, lists.habits]
/** One subject holds such a role for a thing at a time ("leads"), so the subject is what changes. */
export const ROLE = new RegExp(
  `^(?:${anyOf(entriesOf(lists.roles))}|is (?:the )?${anyOf(entriesOf(lists.titles))}(?: of)?)$`,
)
/** Of these a thing has one at a time, so a later one ends the earlier. */
export const ONE_AT_A_TIME = new RegExp(
  `^(?:${anyOf(...ONE_OF.map(entriesOf))}|${anyOf(entriesOf(lists.liked))} [a-z]+(?: [a-z]+)?)$`,
)
/** Words for the one with whom somebody lives as a couple. */
export const COMPANION: ReadonlySet<string> = new Set(entriesOf(lists.companions))
