import { joinedName } from '../text/names.ts'
import type { WrittenName } from '../understand/written-names.ts'
import { type AnswerContext, shareOf, vocabularyCoverage } from './answer-context.ts'
import { nameWords } from './names.ts'
import { bestTermScores } from './semantic-similarity.ts'

/** Evidence that the records do not mention the subject of a question, each 0 to 1. */
export interface MentionFeatures {
  /**
   * Square of the weighted share of query terms that are out-of-vocabulary in the scope. It is squared because one
   * unknown word among many is normal. A term counts less if the embedding model finds that other words express it.
   */
  unheard: number
  /** Share of the question's names that occur in no record with the same spelling. */
  unwritten: number
  /**
   * Greater than 0 if the question contains no capitalized name, because many people omit capitals. It is lower in a
   * small scope, where few words are enough to match.
   */
  nameless: number
}

/** Minimum length in characters of a word that can be a short form of a name. */
const SHORT_FORM_CHARS_MIN = 3
/** Factor for a name whose words are known only separately, if another name of the question is known as a whole. */
const WITH_KNOWN_NAME_FACTOR = 0.5

/** Computes the evidence from the question's words and names. */
export function mentionFeatures(reading: AnswerContext): MentionFeatures {
  return { unheard: outOfVocabularyShare(reading) ** 2, ...nameFeatures(reading) }
}

function outOfVocabularyShare({ question, material, corpus, meant, weights }: AnswerContext): number {
  const { names } = question
  const isInVocabulary = (term: string) => corpus.degreeOf(term) > 0
  // If a question asks about several names together, one known name is enough.
  const isKnown = ({ text, terms }: WrittenName) =>
    terms.every(isInVocabulary) || material.termsOf(joinedName(text)).some(isInVocabulary)
  const known = new Set(names.filter(isKnown).map(({ group }) => group))
  const exempt = new Set(names.filter(({ group }) => known.has(group)).flatMap(({ terms }) => terms))
  const missing = [...weights.keys()].filter((term) => !isInVocabulary(term) && !exempt.has(term))
  if (!meant) return shareOf(weights, new Set(missing))
  const expressed = bestTermScores(meant, material.termsOf)
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
  return missing.reduce((sum, term) => sum + weights.get(term)! * (1 - (expressed.get(term) ?? 0)), 0) / total
}

/** Returns true if a word is part of a name or a short form of a part: "Alex" for "Alexandra". */
function isPartOfName(word: string, known: readonly string[]): boolean {
  return known.some((each) => each === word || (word.length >= SHORT_FORM_CHARS_MIN && each.startsWith(word)))
}

function nameFeatures({
  question,
  material,
  corpus,
  heads,
}: AnswerContext): Pick<MentionFeatures, 'unwritten' | 'nameless'> {
  const { records, names } = material
  const called = records.flatMap(({ entities }) => entities.map(({ name, aliases = [] }) => [name, ...aliases]))
  const known = [...names.findAsked(question.words).map(({ words }) => [words]), ...called].map((each) =>
    each.flatMap(nameWords),
  )
  const texts = records.map(({ title = '', text = '' }) => ` ${nameWords(`${title}\n${text}`).join(' ')} `)
  // German capitalizes all nouns. In a German question only several capitalized words in a row are certainly a name.
  const written = question.names.filter(({ text }) => !question.isForeign || text.includes(' '))
  const mismatch = written.map(({ text, terms }) => {
    // Matches another spelling or form: "Aschenbrodel", "Big Eye".
    const words = nameWords(text)
    const isMatchable = terms.length > 1 || (terms.length === 1 && words.length === 1)
    if (isMatchable && heads.some((each) => terms.every((term) => each.has(term)))) return 0
    // A match of only the first name of a person is not enough.
    const similar = known.filter((each) => each.includes(words.at(-1)!))
    const shares = similar.map((each) => words.filter((word) => isPartOfName(word, each)).length / words.length)
    const spellings = [words.join(' '), joinedName(text)].filter(Boolean)
    const isWritten = texts.some((each) => spellings.some((spelling) => each.includes(` ${spelling} `)))
    return isWritten ? 0 : 1 - Math.max(0, ...shares)
  })
  // If another name is known and the scope contains the words of this name, a record of lower rank may contain it.
  const hasKnownName = mismatch.includes(0)
  for (const [at, { terms }] of written.entries())
    if (hasKnownName && terms.every((term) => corpus.degreeOf(term) > 0)) mismatch[at]! *= WITH_KNOWN_NAME_FACTOR
  // If a question asks about several names together, the best known one counts.
  const ofGroup = (group: number) => Math.min(...mismatch.filter((_, at) => written[at]!.group === group))
  const unwritten = written.reduce((sum, { group }) => sum + ofGroup(group) / written.length, 0)
  return { unwritten, nameless: written.length === 0 ? vocabularyCoverage(corpus) : 0 }
}
