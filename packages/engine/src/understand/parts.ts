import { anyIn } from '../lexicon/languages.ts'
import { topicsAsked } from '../text/kinds.ts'
import { aboutTerms } from './about-terms.ts'
import { aspectsOf } from './aspects.ts'
import { splitClauses } from './clauses.ts'
import { type Beside, kindOf, type Question, readQuestion, readSaid } from './question.ts'
import { type Spelt, speltIn } from './spelt.ts'
import { questionText } from './wording.ts'

// Words that say what the first part asks and not what it is about; they do not carry over to the next part.
const ASKING = new RegExp(`\\b${anyIn('questionWords', 'askingWords')}\\b`, 'gi')

/** A question as a whole, and its parts in the order asked; none when it has one part only. */
export interface AskedParts {
  whole: Question
  parts: readonly Question[]
  /** What a refusal can say of it. */
  spelt: Spelt
}

/** Reads what a question asks for; `termsOf` gives the terms of a text, and `written` is how it was typed. */
export function readAsked(
  text: string,
  termsOf: (text: string) => string[],
  beside: Beside = {},
  written = text,
): AskedParts {
  const whole = readQuestion(text, termsOf, beside)
  return { whole, parts: readParts(whole, termsOf), spelt: speltIn(written, whole, termsOf) }
}

/** The parts in the order asked, each with the subject of the first. */
function readParts(question: Question, termsOf: (text: string) => string[]): Question[] {
  const clauses = splitClauses(questionText(question.wording))
  if (clauses.length < 2) return []
  const inTalk = questionText(question.wordingInTalk)
  const subject = clauses[0]!.replace(ASKING, ' ').replace(/\s+/g, ' ').trim()
  const parts = clauses.flatMap((clause, at): Question[] => {
    const lower = clause.toLowerCase()
    const kind = kindOf(lower)
    if (kind === undefined) return []
    const own = new Set(termsOf(clause))
    const carried = new Set(at === 0 ? [] : termsOf(subject).filter((term) => !own.has(term)))
    const part: Question = {
      ...(at === 0
        ? readSaid(clause, inTalk, termsOf)
        : readSaid(`${clause} ${subject}`, `${clause} ${inTalk}`, termsOf)),
      kind,
      kinds: [kind],
      terms: [...own, ...carried],
      carried,
      about: aboutTerms(`${clause} ${at === 0 ? '' : subject}`, termsOf),
      isForeign: question.isForeign,
      aspects: aspectsOf(lower),
      topics: topicsAsked(lower),
    }
    return [question.times ? { ...part, times: question.times } : part]
  })
  return parts.length < 2 ? [] : parts
}
