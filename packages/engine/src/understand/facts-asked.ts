import { anyOf } from '../lexicon/entries.ts'
import { ASKED, FAVOURITE, favouriteOf, KIN, KIN_CLASSES } from '../lexicon/facts.ts'
import { COMPANION } from '../lexicon/predicates.ts'
import { PARTNER } from '../text/kinds.ts'

/** What a question asks of who asks it, as facts have it: "where do I live?", "what is my dog called?" */
export interface FactsAsked {
  /** The predicates that answer it. */
  readonly predicates: readonly string[]
  /** It asks how that was before. */
  readonly isFormer: boolean
}

/** Characters of a question that can be of such a form. */
const CHARS_MAX = 120
const MARKS = /[?!.,;:“”"]+/g
const IS_CLITIC = new RegExp(`\\b(${anyOf(ASKED.words)})['’]s\\b`, 'g')
const POSSESSIVE = /(\p{L})['’]s\b/gu
/** Words of a kind of what somebody likes best. */
const KIND = '\\p{L}+(?: \\p{L}+)?'
const NEW = `(?:${anyOf(ASKED.newer)} )?`

const whole = (source: string, behind: readonly string[]) =>
  new RegExp(`^(?:${anyOf(ASKED.before)} )*${source}(?: ${anyOf(behind)})*$`, 'u')
const BEHIND_FORMER = [...ASKED.formerBehind, ...ASKED.behind]

const NOW = formsOf(ASKED.now, ASKED.behind)
const FORMER = [...formsOf(ASKED.former, BEHIND_FORMER)]
const KIN_NOUN = `${NEW}(?<noun>${anyOf([...KIN.keys(), ...KIN_CLASSES.keys()])}s?)`
const KIN_NOW = nounForms(ASKED.kin, KIN_NOUN, ASKED.behind)
const KIN_FORMER = nounForms(ASKED.kinFormer, KIN_NOUN, BEHIND_FORMER)
const LIKED_NOUN = `${anyOf([...FAVOURITE])} (?<noun>${KIND})`
const LIKED_NOW = nounForms(ASKED.favourite, LIKED_NOUN, ASKED.behind)
const LIKED_FORMER = nounForms(ASKED.favouriteFormer, LIKED_NOUN, BEHIND_FORMER)

/** Reads whether a question asks for facts of who asks, and nothing else; undefined for any other. */
export function factsAsked(question: string): FactsAsked | undefined {
  if (question.length > CHARS_MAX) return undefined
  const text = question
    .toLowerCase()
    .replace(MARKS, ' ')
    .replace(IS_CLITIC, `$1 ${ASKED.verb}`)
    .replace(POSSESSIVE, '$1')
    .replace(/\s+/g, ' ')
    .trim()
  const told = NOW.find(({ is }) => is.test(text))
  if (told) return { predicates: [told.predicate], isFormer: false }
  const was = FORMER.find(({ is }) => is.test(text))
  if (was) return { predicates: [was.predicate], isFormer: true }
  const kin = kinAsked(KIN_NOW, text)
  if (kin) return { predicates: kin, isFormer: false }
  const kinBefore = kinAsked(KIN_FORMER, text)
  if (kinBefore) return { predicates: kinBefore, isFormer: true }
  const former = nounIn(LIKED_FORMER, text)
  const liked = former ?? nounIn(LIKED_NOW, text)
  return liked === undefined ? undefined : { predicates: [favouriteOf(liked)], isFormer: former !== undefined }
}

function formsOf(forms: readonly { predicate: string; form: string }[], behind: readonly string[]) {
  const byPredicate = new Map<string, string[]>()
  for (const { predicate, form } of forms) byPredicate.set(predicate, [...(byPredicate.get(predicate) ?? []), form])
  return [...byPredicate].map(([predicate, all]) => ({ predicate, is: whole(`(?:${all.join('|')})`, behind) }))
}

function nounForms(forms: readonly string[], noun: string, behind: readonly string[]): RegExp[] {
  return forms.map((form) => whole(form.replace('@', noun), behind))
}

function nounIn(forms: readonly RegExp[], text: string): string | undefined {
  for (const form of forms) {
    const noun = form.exec(text)?.groups?.noun
    if (noun !== undefined) return noun
  }
  return undefined
}

/** The predicates of whom or what a question asks by a noun, in the singular or plural. */
function kinAsked(forms: readonly RegExp[], text: string): readonly string[] | undefined {
  const noun = nounIn(forms, text)
  if (noun === undefined) return undefined
  const one = KIN.has(noun) || KIN_CLASSES.has(noun) ? noun : noun.replace(/s$/, '')
  const kind = KIN.get(one)
  const kinds = KIN_CLASSES.get(one) ?? (kind === undefined ? undefined : [kind])
  // A couple need not say what they are to each other.
  return kinds?.some((each) => COMPANION.has(each)) ? [...new Set([...kinds, PARTNER])] : kinds
}
