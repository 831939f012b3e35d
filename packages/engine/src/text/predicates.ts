import { COMPANION, ONE_AT_A_TIME, ROLE } from '../lexicon/predicates.ts'

/** A predicate as words: "worksAt" and "works_at" are "works at". */
export function predicateWords(predicate: string): string {
  return predicate
    .replace(/[_.:/-]+/g, ' ')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .trim()
}

/** Which of two ends an exclusive predicate allows one value at a time; undefined when it allows several. */
export function changingEnd(predicate: string): 'subject' | 'object' | undefined {
  const words = predicateWords(predicate)
  if (ROLE.test(words)) return 'subject'
  return ONE_AT_A_TIME.test(words) ? 'object' : undefined
}

/** The predicate by which an end finds what it ends: parting ends whatever the other was called, even a wife. */
export function endedBy(predicate: string): string {
  const words = predicateWords(predicate)
  return COMPANION.has(words) ? PARTNER : words
}

/** The predicate of an end of any couple. */
export const PARTNER = 'partner'
