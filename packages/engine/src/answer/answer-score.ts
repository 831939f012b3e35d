import { plainLine } from '../text/clean-text.ts'
import type { Candidate, Material } from './candidates.ts'
import fitted from './statement-weights.json' with { type: 'json' }

/** Features of a statement from which the probability that it answers is computed, each from 0 to 1. */
export interface StatementFeatures extends Similarity {
  /** Weighted share of the query terms that it contains. Terms that are rare among the statements weigh more. */
  cover: number
  /** `cover` relative to the statement with the greatest coverage. */
  most: number
  /** Score for having the form of an answer to this kind of question. Limited by the score for the subject. */
  form: number
  /** Probability that its record contains an answer, by the record's rank and its number of hops from the question. */
  standing: number
  /** Ranking score of its record relative to the first record. */
  relevance: number
  /** Strength of the hop from its record to another one that then contains the answer. */
  onward: number
  /** 1 if its record is the target of a hop. */
  reached: number
  /**
   * Closeness to the beginning of its section, for records without a time. For messages, which are in chronological
   * order, the beginning is not special.
   */
  opening: number
  /** Length relative to that of a self-contained statement, at most 1. */
  whole: number
  /** 1 if it is a question. */
  asks: number
  /** 1 if the label of its section, its history of values or its author indicates an answer. */
  labelled: number
  /** 1 if it is rendered from relations. */
  related: number
  /** 1 if it is rendered from the fields of a record that also has a text. */
  stated: number
  /**
   * Relative lateness, if the question asks for the latest. It is at most the degree to which the statement is about
   * the subject.
   */
  latest: number
  /** 1 if it includes previous values. */
  changed: number
}

/** Semantic similarity of a statement, scaled from 0 for the least to 1 for the most similar of those compared. */
export interface Similarity {
  /** Cosine similarity of statement and question. */
  alike: number
  /** Weighted share of the question's words that it expresses. Rare words weigh more. */
  said: number
}

const NO_SIMILARITY: Similarity = { alike: 0, said: 0 }

/**
 * Returns the probability that a statement answers, by a logistic model over its features. `statement-weights.json` has
 * one set of weights with semantic similarity and one for words only. `npm run fit:statements` generates it.
 */
export function answerScore(features: StatementFeatures, isCompared: boolean): number {
  const { base, ...weights }: Partial<StatementFeatures> & { base: number } = isCompared ? fitted.meaning : fitted.words
  const names = Object.keys(features) as (keyof StatementFeatures)[]
  const sum = names.reduce((total, name) => total + (weights[name] ?? 0) * features[name], base)
  return 1 / (1 + Math.exp(-sum))
}

/**
 * Returns a statement with its context as it is embedded: the title, the label or heading above it, and the question
 * that it replies to.
 */
export function embeddedText({ record, text, label, inReplyTo = '' }: Candidate, { records }: Material): string {
  const title = plainLine(records[record]!.title ?? '')
  const heading = plainLine(label ?? '')
  const above = [title, heading === title ? '' : heading, inReplyTo].filter((each) => each !== '')
  return above.length === 0 ? text : `${above.join(' › ')}: ${text}`
}

/** Returns the similarity of each statement. A statement that was not compared gets the minimum. */
export function similaritiesOf(material: Material, rarity: ReadonlyMap<string, number>): Similarity[] {
  const { candidates, meant, termsOf } = material
  if (!meant) return candidates.map(() => NO_SIMILARITY)
  const weights = wordWeights(meant.words, termsOf, rarity)
  const compared = candidates.map((each): Similarity | undefined => {
    const found = meant.texts.get(embeddedText(each, material))
    return found && { alike: found.alike, said: expressedShare(weights, found.said) ?? 0 }
  })
  const known = compared.filter((each) => each !== undefined)
  const [alike, said] = [shareOfRange(known.map((each) => each.alike)), shareOfRange(known.map((each) => each.said))]
  return compared.map((each) => (each ? { alike: alike(each.alike), said: said(each.said) } : NO_SIMILARITY))
}

/** Returns a function that scales a value to the range of the given values, 0 to 1. It returns 0 if all are equal. */
function shareOfRange(values: readonly number[]): (value: number) => number {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return (value) => (most === least ? 0 : (value - least) / (most - least))
}

/** Returns the weight of each word of the question, which is the weight of its rarest term. */
function wordWeights(
  words: readonly string[],
  termsOf: Material['termsOf'],
  rarity: ReadonlyMap<string, number>,
): number[] {
  return words.map((word) => Math.max(0, ...termsOf(word).map((term) => rarity.get(term) ?? 0)))
}

/** Returns the weighted share of a question that a statement expresses, or undefined if no word has a weight. */
function expressedShare(weights: readonly number[], said: ArrayLike<number>): number | undefined {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return total === 0 ? undefined : weights.reduce((sum, weight, at) => sum + weight * (said[at] ?? 0), 0) / total
}
