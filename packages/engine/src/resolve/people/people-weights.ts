import type { NameRelation } from './person-names.ts'

/**
 * What speaks for two people being one, as logarithms of odds, set by hand. On `tests/people/as-written.json` they
 * come to a precision of .98 and an F1 of .98, where identifiers alone come to .45; the test beside them guards both.
 */
export const PEOPLE_WEIGHTS = {
  name: {
    same: 1,
    fuller: 0.5,
    short: 0,
    'same handle': 0,
    handle: -0.5,
    initial: -1.5,
    none: -8,
    conflict: -8,
  } satisfies Record<NameRelation, number>,
  /** By how many of the two parts of the name very many bear. */
  rarity: [2.5, 1.2, -1],
  /** One mailbox at two hosts. */
  sameMailbox: 1.5,
  /** Two employers, and two mailboxes of one that differ in a number: there are two of the name. */
  twoEmployers: -1.5,
  numbered: -8,
  /** Few others are known where both are known, or each is known elsewhere. */
  together: 2,
  elsewhere: -0.5,
}

/** Logarithm of the odds from which two people are taken for one, and from which it is suggested. */
export const PEOPLE_MERGE_MIN = 2
export const PEOPLE_SUGGEST_MIN = -0.5
