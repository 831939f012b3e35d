import { anyOf } from '../lexicon/entries.ts'
import { ADDRESSEE, SPEAKER, SPEAKERS } from '../lexicon/languages.ts'
import { upperFirst } from '../text/words.ts'
import { PASSAGE_SENTENCES } from './answer-cover.ts'
import { type AnswerReading, shareOf, union } from './answer-reading.ts'
import type { Candidate } from './candidates.ts'
import { isQuestion } from './traits.ts'

const either = (words: readonly string[]) => anyOf(words, words.map(upperFirst))
const OF_ADDRESSEE = new Set<string>(ADDRESSEE)
const OF_SPEAKER = [...SPEAKER, ...SPEAKERS.filter((word) => !OF_ADDRESSEE.has(word))]
const FIRST_PERSON = new RegExp(`(?<![\\p{L}\\p{N}'’])${either(OF_SPEAKER)}(?![\\p{L}\\p{N}])`, 'u')
const SECOND_PERSON = new RegExp(`(?<![\\p{L}\\p{N}'’])${either(ADDRESSEE)}(?![\\p{L}\\p{N}])`, 'u')

/** What speaks against an answer when a question asks about one person, each from 0 to 1. */
export interface PersonTold {
  /** How much more of the rest of the question a sentence holds that is of somebody else. */
  otherPerson: number
  /** The same of three sentences, read as one passage, of which the first is of somebody else. */
  otherPassage: number
  /** The same of a sentence in which somebody else writes of themself. */
  otherWriter: number
  /** Share of the rest of the question that no sentence of the person holds. */
  unsaidOfPerson: number
}

const NOBODY: PersonTold = { otherPerson: 0, otherPassage: 0, otherWriter: 0, unsaidOfPerson: 0 }

/**
 * Whether what is told is of the person asked about, where people write: "I" and what names nobody is of the writer,
 * "you" and what is asked is of somebody else.
 */
export function personTold({ question, material, weights, said }: AnswerReading): PersonTold {
  const { records, names, termsOf } = material
  const named = names.findAsked(question.words).filter(({ name }) => names.isPerson(name))
  const asked = new Set(named.flatMap(({ name }) => names.entityOf(name) ?? []))
  const authors = records.map(({ author }) => author?.canonicalId)
  const own = new Set(named.flatMap(({ words }) => termsOf(words)))
  const rest = new Map([...weights].filter(([term]) => !own.has(term)))
  // What several did together is told by each of them.
  if (asked.size !== 1 || rest.size === 0 || authors.every((id) => id === undefined)) return NOBODY
  const theirs = { sentence: 0, passage: 0, writer: 0 }
  const others = { ...theirs }
  for (const [record, sentences] of said.entries()) {
    const author = authors[record]
    if (author === undefined) continue
    for (const [at, candidate] of sentences.entries()) {
      const isTheirs = asked.has(author) === isOfWriter(candidate)
      const whose = isTheirs ? theirs : others
      const sentence = shareOf(rest, candidate.terms)
      const passage = shareOf(rest, union(sentences.slice(at, at + PASSAGE_SENTENCES).map(({ terms }) => terms)))
      whose.sentence = Math.max(whose.sentence, sentence)
      whose.passage = Math.max(whose.passage, passage)
      if (!asked.has(author)) whose.writer = Math.max(whose.writer, sentence)
    }
  }
  return {
    otherPerson: Math.max(0, others.sentence - theirs.sentence),
    otherPassage: Math.max(0, others.passage - theirs.passage),
    otherWriter: Math.max(0, others.writer - theirs.sentence),
    unsaidOfPerson: 1 - theirs.sentence,
  }
}

/** Whether a sentence speaks of who writes it rather than of who reads it. */
function isOfWriter({ text }: Candidate): boolean {
  return FIRST_PERSON.test(text) || !(SECOND_PERSON.test(text) || isQuestion(text))
}
