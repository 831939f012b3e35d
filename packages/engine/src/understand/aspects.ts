import { ASPECTS } from '../lexicon/asked.ts'

/** One thing that questions ask about, with the words by which sentences tell it: a hint for ranking. */
export interface Aspect {
  name: string
  tells: RegExp
}

/** The aspects that a question asks about. */
export function aspectsOf(question: string): Aspect[] {
  return ASPECTS.filter((each) => each.asks.test(question)).map(({ name, tells }) => ({ name, tells }))
}
