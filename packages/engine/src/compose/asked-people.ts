import { wholeOf } from '../lexicon/entries.ts'
import { anyIn, inAll } from '../lexicon/languages.ts'
import type { Question } from '../understand/question.ts'
import type { Candidate, Material } from './candidates.ts'
import type { NameIndex } from './names.ts'

const SAYS = new RegExp(wholeOf(inAll('sayings')), 'iu')
const FIRST_PERSON = new RegExp(`(?<![\\p{L}\\p{N}'’])${anyIn('speaker', 'possessions')}(?![\\p{L}\\p{N}])`, 'u')

const AUXILIARY = `(?<!\\p{L})${anyIn('beforeDoers')}\\s+`

/** Whether a question asks what somebody said, which is told by what that person wrote. */
export function asksSaying({ text }: Question): boolean {
  return SAYS.test(text)
}

/** Who the question asks about as doing something: "what did Priya say", "when does Jon leave". */
export function askedDoers(question: Question, names: NameIndex): ReadonlySet<string> {
  const doers = names.findWords(question.text).flatMap(({ name, words }) => {
    const does = new RegExp(`${AUXILIARY}${words.replaceAll(' ', '\\P{L}+')}(?!\\p{L})`, 'iu')
    return (names.isPerson(name) && does.test(question.text) && names.entityOf(name)) || []
  })
  return new Set(doers)
}

/** The entity that a sentence speaks of as "I", or whose doings are asked for. */
export function speaker(
  { record, text, source }: Candidate,
  { records }: Material,
  doers: ReadonlySet<string>,
): string | undefined {
  const author = records[record]!.author?.canonicalId
  if (source !== 'sentence' || author === undefined) return undefined
  return doers.has(author) || FIRST_PERSON.test(text) ? author : undefined
}
