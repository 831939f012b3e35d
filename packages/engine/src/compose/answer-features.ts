import { covered } from './answer-cover.ts'
import { mentioned } from './answer-mention.ts'
import { personTold } from './answer-people.ts'
import type { AnswerReading } from './answer-reading.ts'
import { unsaid } from './answer-subject.ts'
import { mostAlike } from './meant.ts'
import { isMessage } from './states.ts'

/** What speaks for (1), against (-1) or only beside (0) that the records answer, each from 0 to 1, by words alone. */
export const ANSWER_FEATURES = {
  unheard: -1,
  unwritten: -1,
  /** Of a short question, which names hardly more than one thing. */
  inflectedShort: -1,
  missing: -1,
  adjacent: 1,
  place: -1,
  /** The ranking finds many records as good as the first. */
  flat: -1,
  otherPerson: -1,
  otherPassage: -1,
  otherWriter: -1,
  unsaidOfPerson: -1,
  nameless: 0,
  /** It is told from messages, which are short; has many terms. */
  messages: 0,
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

/** Terms from which a question is no longer short, and from which it is long. */
const SHORT_TERMS_MAX = 5
const LONG_TERMS = 10
/** A record so far down the list shows whether the first stands out. */
const FLAT_PLACE = 4

/** Reads from question and records what speaks for and against an answer. */
export function answerFeatures(reading: AnswerReading): AnswerFeatures {
  const { material, meant, weights } = reading
  const { records } = material
  const { inflected, ...mention } = mentioned(reading)
  const [first, later] = [records[0]!.score, records[FLAT_PLACE]?.score ?? 0]
  return {
    ...mention,
    inflectedShort: (inflected * Math.max(0, SHORT_TERMS_MAX - weights.size)) / (SHORT_TERMS_MAX - 1),
    ...covered(reading),
    flat: later / Math.max(first, Number.MIN_VALUE),
    ...personTold(reading),
    messages: records.filter(isMessage).length / records.length,
    length: Math.min(1, weights.size / LONG_TERMS),
    unsaid: unsaid(reading),
    alike: meant ? mostAlike(meant) : 0,
  }
}
