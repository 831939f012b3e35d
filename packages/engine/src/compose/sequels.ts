import type { QuestionKind } from '../lexicon/asked.ts'
import type { Question } from '../understand/question.ts'
import type { Material } from './candidates.ts'
import type { Scored } from './select.ts'
import { isQuestion } from './traits.ts'

// What has the form of an answer needs nothing after it.
const FORM_MIN = 0.5
// A longer sentence is a matter of its own.
const WORDS_MAX = 30
const FACTS: ReadonlySet<QuestionKind> = new Set([
  'who',
  'when',
  'where',
  'howMany',
  'howMuch',
  'howLong',
  'yesNo',
  'fact',
])

/**
 * The sentence that follows the answer where the answer names what is asked about and has not the form of what is asked
 * for: people tell "She had her baby last night!" before they tell its name.
 */
export function sequelOf(
  { kind }: Question,
  answer: Scored,
  scored: readonly Scored[],
  { records }: Material,
): Scored | undefined {
  if (!FACTS.has(kind) || answer.prior >= FORM_MIN || answer.source !== 'sentence') return undefined
  if (records[answer.record]!.occurredAtMs === undefined) return undefined
  const next = scored.find(
    (each) =>
      each.source === 'sentence' &&
      each.record === answer.record &&
      each.position === answer.position + 1 &&
      each.sentence?.block === answer.sentence?.block,
  )
  return next && next.words <= WORDS_MAX && !isQuestion(next.text) ? next : undefined
}
