import { anyOf } from '../lexicon/entries.ts'
import { inAll, SPEAKER, SPEAKERS } from '../lexicon/languages.ts'
import { upperFirst } from './words.ts'

const SPEAKS = anyOf(SPEAKER, SPEAKERS)
const FIRST_PERSON = new RegExp(`(?<![\\p{L}\\p{N}'’])${SPEAKS}(?![\\p{L}\\p{N}])`, 'u')
const STARTS = [...SPEAKER, ...SPEAKERS, ...inAll('requestOpenings')].map(upperFirst)
const FIRST_PERSON_START = new RegExp(`^${anyOf(STARTS)}(?![\\p{L}\\p{N}])`, 'u')

/** Whether the sentence speaks as somebody ("we", "my"), so that it can only be quoted. */
export function speaksAsSomebody(text: string): boolean {
  return FIRST_PERSON.test(text) || FIRST_PERSON_START.test(text)
}
