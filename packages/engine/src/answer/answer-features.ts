import { adjacency, missingTerm } from './answer-cover.ts'
import { mentioned } from './answer-mention.ts'
import { toldOfOther } from './answer-people.ts'
import type { AnswerReading } from './answer-reading.ts'
import { unsaid } from './answer-subject.ts'
import { mostAlike } from './meant.ts'

/** What speaks for (1), against (-1) or only beside (0) that the records answer, each from 0 to 1, by words alone. */
export const ANSWER_FEATURES = {
  unheard: -1,
  unwritten: -1,
  missing: -1,
  adjacent: 1,
  otherPerson: -1,
  nameless: 0,
  /** It has many terms. */
  length: 0,
} as const
/** The same where a model compares meanings. */
export const MEANT_FEATURES = {
  unheard: -1,
  unwritten: -1,
  unsaid: -1,
  otherPerson: -1,
  nameless: 0,
  alike: 1,
} as const
export type AnswerFeatures = Record<keyof typeof ANSWER_FEATURES | keyof typeof MEANT_FEATURES, number>

/** Terms from which a question is long. */
const LONG_TERMS = 10

/** Reads from question and records what speaks for and against an answer. */
export function answerFeatures(reading: AnswerReading): AnswerFeatures {
  const { meant, weights } = reading
  return {
    ...mentioned(reading),
    missing: missingTerm(reading),
    adjacent: adjacency(reading),
    otherPerson: toldOfOther(reading),
    length: Math.min(1, weights.size / LONG_TERMS),
    unsaid: unsaid(reading),
    alike: meant ? mostAlike(meant) : 0,
  }
}
