import { type AnswerReading, shareOf, wordedness } from './answer-reading.ts'
import { termsMeant } from './meant.ts'
import { nameWords } from './names.ts'

/** What speaks against it that the records mention what a question is about, each from 0 to 1. */
export interface Mentioned {
  /**
   * Share of what it is about, by how rare it is, that no record in scope has, squared: one word of many may be. What a
   * model finds said in other words counts as far as it is not.
   */
  unheard: number
  /** Share of its names that stand in no record as they are written. */
  unwritten: number
  /** It writes no name with capitals, which many leave out; less in a small scope, whose few things need none. */
  nameless: number
}

/** Characters of a word from which it may be short for another. */
const SHORT_CHARS_MIN = 3
/** What a name counts whose words alone are known, beside one that is known as a whole. */
const BESIDE_KNOWN_SHARE = 0.5

/** Whether the words and names of a question are mentioned in the records. */
export function mentioned(reading: AnswerReading): Mentioned {
  return { unheard: unheard(reading) ** 2, ...namesTold(reading) }
}

function unheard({ question, material, corpus, meant, weights }: AnswerReading): number {
  const { names } = question
  const isHeard = (term: string) => corpus.degreeOf(term) > 0
  // Of several that are asked for together one is enough.
  const known = new Set(names.filter(({ terms }) => terms.every(isHeard)).map(({ group }) => group))
  const spared = new Set(names.filter(({ group }) => known.has(group)).flatMap(({ terms }) => terms))
  const lacking = [...weights.keys()].filter((term) => !isHeard(term) && !spared.has(term))
  if (!meant) return shareOf(weights, new Set(lacking))
  const said = termsMeant(meant, material.termsOf)
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
  return lacking.reduce((sum, term) => sum + weights.get(term)! * (1 - (said.get(term) ?? 0)), 0) / total
}

/** Whether a word is one of a name, or short for one: "Alex" for "Alexandra". */
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
  // German writes every noun with a capital, so that there only several words in a row are surely a name.
  const written = question.names.filter(({ text }) => !question.isForeign || text.includes(' '))
  const strangeness = written.map(({ text, terms }) => {
    // In another spelling or form: "Aschenbrodel", "Big Eye".
    const words = nameWords(text)
    const isTold = terms.length > 1 || (terms.length === 1 && words.length === 1)
    if (isTold && heads.some((each) => terms.every((term) => each.has(term)))) return 0
    // A first name alone makes nobody known.
    const alike = known.filter((each) => each.includes(words.at(-1)!))
    const shares = alike.map((each) => words.filter((word) => isKnown(word, each)).length / words.length)
    return texts.some((each) => each.includes(` ${words.join(' ')} `)) ? 0 : 1 - Math.max(0, ...shares)
  })
  // Beside a known name one whose words the scope has may stand in a record further down the list.
  const isBesideKnown = strangeness.includes(0)
  for (const [at, { terms }] of written.entries())
    if (isBesideKnown && terms.every((term) => corpus.degreeOf(term) > 0)) strangeness[at]! *= BESIDE_KNOWN_SHARE
  // Of several that are asked for together the best known counts.
  const ofGroup = (group: number) => Math.min(...strangeness.filter((_, at) => written[at]!.group === group))
  const unwritten = written.reduce((sum, { group }) => sum + ofGroup(group) / written.length, 0)
  return { unwritten, nameless: written.length === 0 ? wordedness(corpus) : 0 }
}
