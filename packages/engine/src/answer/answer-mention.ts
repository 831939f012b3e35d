import { type AnswerReading, shareOf, wordedness } from './answer-reading.ts'
import { termsMeant } from './meant.ts'
import { nameWords } from './names.ts'

/** Evidence that the records do not mention the subject of a question, each 0 to 1. */
export interface Mentioned {
  /**
   * Square of the weighted share of query terms that are out-of-vocabulary in the scope. It is squared because a single
   * unknown word among many is normal. If the model finds a term expressed in other words, it counts less.
   */
  unheard: number
  /** Share of the question's names that occur in no record as written. */
  unwritten: number
  /**
   * Greater than 0 if the question contains no capitalized name, as many people omit capitals. Lower in a small scope,
   * where few words suffice.
   */
  nameless: number
}

/** Minimum length in characters of a word that can be a short form of a name. */
const SHORT_CHARS_MIN = 3
/** Factor for a name of which only the words are known, if another name of the question is fully known. */
const BESIDE_KNOWN_SHARE = 0.5

/** Computes the evidence from the question's words and names. */
export function mentioned(reading: AnswerReading): Mentioned {
  return { unheard: unheard(reading) ** 2, ...namesTold(reading) }
}

function unheard({ question, material, corpus, meant, weights }: AnswerReading): number {
  const { names } = question
  const isHeard = (term: string) => corpus.degreeOf(term) > 0
  // If a question asks about several names together, one known name is enough.
  const known = new Set(names.filter(({ terms }) => terms.every(isHeard)).map(({ group }) => group))
  const spared = new Set(names.filter(({ group }) => known.has(group)).flatMap(({ terms }) => terms))
  const lacking = [...weights.keys()].filter((term) => !isHeard(term) && !spared.has(term))
  if (!meant) return shareOf(weights, new Set(lacking))
  const said = termsMeant(meant, material.termsOf)
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
  return lacking.reduce((sum, term) => sum + weights.get(term)! * (1 - (said.get(term) ?? 0)), 0) / total
}

/** Returns true if a word is part of a name or a short form of a part: "Alex" for "Alexandra". */
function isKnown(word: string, known: readonly string[]): boolean {
  return known.some((each) => each === word || (word.length >= SHORT_CHARS_MIN && each.startsWith(word)))
}

function namesTold({ question, material, corpus, heads }: AnswerReading): Pick<Mentioned, 'unwritten' | 'nameless'> {
  const { records, names } = material
  const called = records.flatMap(({ entities }) => entities.map(({ name, aliases = [] }) => [name, ...aliases]))
  const known = [...names.findAsked(question.words).map(({ words }) => [words]), ...called].map((each) =>
    each.flatMap(nameWords),
  )
  const texts = records.map(({ title = '', text = '' }) => ` ${nameWords(`${title}\n${text}`).join(' ')} `)
  // German capitalizes all nouns, so in German only several capitalized words in a row are certainly a name.
  const written = question.names.filter(({ text }) => !question.isForeign || text.includes(' '))
  const strangeness = written.map(({ text, terms }) => {
    // Matches another spelling or form: "Aschenbrodel", "Big Eye".
    const words = nameWords(text)
    const isTold = terms.length > 1 || (terms.length === 1 && words.length === 1)
    if (isTold && heads.some((each) => terms.every((term) => each.has(term)))) return 0
    // Knowing only the first name of a person is not enough.
    const alike = known.filter((each) => each.includes(words.at(-1)!))
    const shares = alike.map((each) => words.filter((word) => isKnown(word, each)).length / words.length)
    return texts.some((each) => each.includes(` ${words.join(' ')} `)) ? 0 : 1 - Math.max(0, ...shares)
  })
  // If another name is known and the scope contains the words of this one, it may be in a record of lower rank.
  const isBesideKnown = strangeness.includes(0)
  for (const [at, { terms }] of written.entries())
    if (isBesideKnown && terms.every((term) => corpus.degreeOf(term) > 0)) strangeness[at]! *= BESIDE_KNOWN_SHARE
  // If a question asks about several names together, the best known one counts.
  const ofGroup = (group: number) => Math.min(...strangeness.filter((_, at) => written[at]!.group === group))
  const unwritten = written.reduce((sum, { group }) => sum + ofGroup(group) / written.length, 0)
  return { unwritten, nameless: written.length === 0 ? wordedness(corpus) : 0 }
}
