import { anyOf } from '../lexicon/entries.ts'
import { ADDRESSEE, SPEAKER, SPEAKERS } from '../lexicon/languages.ts'
import { upperFirst } from '../text/words.ts'
import { type AnswerContext, shareOf } from './answer-context.ts'
import type { Candidate } from './candidates.ts'
import { isQuestion } from './traits.ts'

const either = (words: readonly string[]) => anyOf(words, words.map(upperFirst))
const OF_ADDRESSEE = new Set<string>(ADDRESSEE)
const OF_SPEAKER = [...SPEAKER, ...SPEAKERS.filter((word) => !OF_ADDRESSEE.has(word))]
const FIRST_PERSON = new RegExp(`(?<![\\p{L}\\p{N}'’])${either(OF_SPEAKER)}(?![\\p{L}\\p{N}])`, 'u')
const SECOND_PERSON = new RegExp(`(?<![\\p{L}\\p{N}'’])${either(ADDRESSEE)}(?![\\p{L}\\p{N}])`, 'u')

/**
 * Compares statements about one person with statements about other people. Returns how much more of the rest of the
 * question a statement about somebody else contains than any statement about the named person, from 0 to 1. Only
 * records with an author are compared. A sentence with "I", or without a person, is about the author. A sentence with
 * "you", or a question, is about somebody else.
 */
export function otherPersonScore({ question, material, weights, candidatesByRecord }: AnswerContext): number {
  const { records, names, termsOf } = material
  const named = names.findAsked(question.words).filter(({ name }) => names.isPerson(name))
  const asked = new Set(named.flatMap(({ name }) => names.entityOf(name) ?? []))
  const own = new Set(named.flatMap(({ words }) => termsOf(words)))
  const rest = new Map([...weights].filter(([term]) => !own.has(term)))
  // If the question names several people, a statement of any of them counts, so there is no difference to compute.
  if (asked.size !== 1 || rest.size === 0) return 0
  let [ofPerson, ofOthers] = [0, 0]
  for (const [record, sentences] of candidatesByRecord.entries()) {
    const author = records[record]!.author?.canonicalId
    if (author === undefined) continue
    for (const candidate of sentences) {
      const share = shareOf(rest, candidate.terms)
      if (asked.has(author) === isAboutAuthor(candidate)) ofPerson = Math.max(ofPerson, share)
      else ofOthers = Math.max(ofOthers, share)
    }
  }
  return Math.max(0, ofOthers - ofPerson)
}

/** Returns true if a sentence is about its author and not about the addressee. */
function isAboutAuthor({ text }: Candidate): boolean {
  return FIRST_PERSON.test(text) || !(SECOND_PERSON.test(text) || isQuestion(text))
}
