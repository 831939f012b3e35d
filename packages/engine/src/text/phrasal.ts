import { PHRASAL_VERBS } from '../lexicon/writing.ts'
import { stem } from './stem.ts'
import { termOf } from './term-of.ts'
import type { Word } from './words.ts'

/** By a verb's stem and a small word what they are as one word. */
const WHOLES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  PHRASAL_VERBS.map(([verb = '', ...particles]) => [
    stem(verb),
    new Map(particles.map((particle) => [particle, termOf(verb + particle)!])),
  ]),
)

const SPACE = 32
const PARTICLE_CHARS_MAX = 7
/** By the code of a letter, whether small words begin with it: most words are passed over by that. */
const BEGINS_PARTICLE: readonly boolean[] = Array.from({ length: 128 }, (_, code) =>
  [...WHOLES.values()].some((wholes) => [...wholes.keys()].some((particle) => particle.charCodeAt(0) === code)),
)

/** The term of a verb and the word after it as one word: "logged in" as `login`; of others undefined. */
export function phrasalOf(folded: string, verbTerm: string, verb: Word, next: Word | undefined): string | undefined {
  if (next === undefined || next.text.length > PARTICLE_CHARS_MAX) return undefined
  if (BEGINS_PARTICLE[next.text.charCodeAt(0)] !== true) return undefined
  if (next.from !== verb.to + 1 || folded.charCodeAt(verb.to) !== SPACE) return undefined
  return WHOLES.get(verbTerm)?.get(next.text)
}
