const ROLES = 'leads?|owns?|heads?|manages?|runs|chairs?|maintains?'
const TITLES = 'lead|head|owner|ceo|cto|cfo|manager'
/** One subject holds such a role for a thing at a time ("leads"), so the subject is what changes. */
export const ROLE = new RegExp(`^(?:${ROLES}|is (?:the )?(?:${TITLES})(?: of)?)$`)

const STATES = 'status|state|stage|phase|health|priority|version|budget|price|deadline'
const DATES = 'due(?: date)?|target date|launch date|release date|cutover date'
const HOLDERS = 'owner|owned by|led by|lead|leads|owns|assigned to|assignee|headed by|ceo|reports to'
const PLACES = 'works at|works for|works as|lives in|based in|located (?:in|at)|runs on'
const LIKED = 'favou?rite [a-z]+(?: [a-z]+)?'
/** Of these a thing has one at a time, so a later one ends the earlier. */
export const ONE_AT_A_TIME = new RegExp(`^(?:${STATES}|${DATES}|${HOLDERS}|${PLACES}|${LIKED})$`)

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
