import { anyOf } from '../lexicon/entries.ts'
import { ADDRESSEE, SPEAKER, SPEAKERS } from '../lexicon/languages.ts'
import { upperFirst } from '../text/words.ts'
import { type AnswerReading, shareOf } from './answer-reading.ts'
import type { Candidate } from './candidates.ts'
import { isQuestion } from './traits.ts'

const either = (words: readonly string[]) => anyOf(words, words.map(upperFirst))
const OF_ADDRESSEE = new Set<string>(ADDRESSEE)
const OF_SPEAKER = [...SPEAKER, ...SPEAKERS.filter((word) => !OF_ADDRESSEE.has(word))]
const FIRST_PERSON = new RegExp(`(?<![\\p{L}\\p{N}'’])${either(OF_SPEAKER)}(?![\\p{L}\\p{N}])`, 'u')
const SECOND_PERSON = new RegExp(`(?<![\\p{L}\\p{N}'’])${either(ADDRESSEE)}(?![\\p{L}\\p{N}])`, 'u')

/** What speaks against an answer when a question asks about one person, each from 0 to 1. */
export interface PersonTold {
  /** What is said of the person holds less of the rest of the question than what is said of others. */
  otherPerson: number
  /** What is first found is somebody else's. */
  otherFirst: number
  /** Share of the rest of the question that no sentence of the person holds. */
  unsaidOfPerson: number
}

const NOBODY: PersonTold = { otherPerson: 0, otherFirst: 0, unsaidOfPerson: 0 }

/**
 * Whether what is told is of the person asked about, where people write: "I" and what names nobody is of the writer,
 * "you" and what is asked is of somebody else.
 */
export function personTold({ question, material, weights }: AnswerReading): PersonTold {
  const { records, candidates, names, termsOf } = material
  const named = names.findWords(question.text).filter(({ name }) => names.isPerson(name))
  const asked = new Set(named.flatMap(({ name }) => names.entityOf(name) ?? []))
  const authors = records.map(({ author }) => author?.canonicalId)
  // What several did together is told by each of them.
  if (asked.size !== 1 || authors.every((id) => id === undefined)) return NOBODY
  const isTheirs = (record: number) => asked.has(authors[record] ?? '')
  const own = new Set(named.flatMap(({ words }) => termsOf(words)))
  const rest = new Map([...weights].filter(([term]) => !own.has(term)))
  const isOtherFirst = !isTheirs(authors.findIndex((id) => id !== undefined))
  if (rest.size === 0) return { ...NOBODY, otherFirst: isOtherFirst ? 1 : 0 }
  let [theirs, others] = [0, 0]
  for (const candidate of candidates) {
    if (authors[candidate.record] === undefined) continue
    const cover = shareOf(rest, candidate.terms)
    if (isTheirs(candidate.record) === isOfWriter(candidate)) theirs = Math.max(theirs, cover)
    else others = Math.max(others, cover)
  }
  return {
    otherPerson: Math.max(0, others - theirs),
    otherFirst: isOtherFirst ? 1 : 0,
    unsaidOfPerson: 1 - theirs,
  }
}

/** Whether a sentence speaks of who writes it rather than of who reads it. */
function isOfWriter({ text }: Candidate): boolean {
  return FIRST_PERSON.test(text) || !(SECOND_PERSON.test(text) || isQuestion(text))
}
