import { plainLine } from '../text/clean-text.ts'
import type { Candidate, Material } from './candidates.ts'
import fitted from './statement-weights.json' with { type: 'json' }

/** What tells how well a statement answers a question, each from 0 to 1. */
export interface StatementFeatures extends Meaning {
  /** Share of the question's terms that it holds, by how rare they are among the statements. */
  cover: number
  /** The same beside the statement that holds most of them. */
  most: number
  /** How well it has the form of an answer to the kind of question, as far as it speaks of what is asked. */
  form: number
  /** How likely an answer rests on its record, by its place in the ranking and by where the question leads. */
  standing: number
  /** The score of its record in the ranking beside that of the first. */
  relevance: number
  /** How surely the question leads on from its record to another one, where the answer then stands. */
  onward: number
  /** 1 where the question leads on to its record from another one. */
  reached: number
  /** How near it is to the beginning of its section, in what has no day; messages stand in order of time. */
  opening: number
  /** How far it is as long as what is understood by itself. */
  whole: number
  /** 1 for what asks something itself. */
  asks: number
  /** 1 where the label of its section, its course or who says it tells that it answers. */
  labelled: number
  /** 1 for what is made of relations. */
  related: number
  /** 1 for what is made of the fields of a record that has a text. */
  stated: number
  /** How late it is, where the latest is asked for, as far as it speaks of what is asked. */
  latest: number
  /** 1 for what tells what it was before, too. */
  changed: number
}

/** What a model says of a statement beside a question: from 0 for the least of those compared to 1 for the most. */
export interface Meaning {
  /** The cosine of both. */
  alike: number
  /** How much of the question's words it says, each word by how rare it is. */
  said: number
}

const NO_MEANING: Meaning = { alike: 0, said: 0 }

/**
 * How likely a statement answers, 0..1: a logistic over its features. `statement-weights.json` has the weights for
 * statements that a model compared with the question and those for words alone; `npm run fit:statements` makes it.
 */
export function statementWorth(features: StatementFeatures, isCompared: boolean): number {
  const { base, ...weights }: Partial<StatementFeatures> & { base: number } = isCompared ? fitted.meaning : fitted.words
  const names = Object.keys(features) as (keyof StatementFeatures)[]
  const sum = names.reduce((total, name) => total + (weights[name] ?? 0) * features[name], base)
  return 1 / (1 + Math.exp(-sum))
}

/** A statement as it is compared with a question: it is understood by the title and the label or heading above it. */
export function comparedText({ record, text, label }: Candidate, { records }: Material): string {
  const title = plainLine(records[record]!.title ?? '')
  const heading = plainLine(label ?? '')
  const above = [title, heading === title ? '' : heading].filter((each) => each !== '')
  return above.length === 0 ? text : `${above.join(' › ')}: ${text}`
}

/** What the model says of each statement; one that it did not compare is as the least of the others. */
export function meaningsOf(material: Material, rarity: ReadonlyMap<string, number>): Meaning[] {
  const { candidates, meant, termsOf } = material
  if (!meant) return candidates.map(() => NO_MEANING)
  const weights = wordWeights(meant.words, termsOf, rarity)
  const compared = candidates.map((each): Meaning | undefined => {
    const found = meant.texts.get(comparedText(each, material))
    return found && { alike: found.alike, said: shareSaid(weights, found.said) ?? 0 }
  })
  const known = compared.filter((each) => each !== undefined)
  const [alike, said] = [shareOfRange(known.map((each) => each.alike)), shareOfRange(known.map((each) => each.said))]
  return compared.map((each) => (each ? { alike: alike(each.alike), said: said(each.said) } : NO_MEANING))
}

/** Where a value lies between the least and the greatest, 0..1; 0 where all are the same. */
function shareOfRange(values: readonly number[]): (value: number) => number {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return (value) => (most === least ? 0 : (value - least) / (most - least))
}

/** What each word of a question weighs: the rarest of its terms. */
function wordWeights(
  words: readonly string[],
  termsOf: Material['termsOf'],
  rarity: ReadonlyMap<string, number>,
): number[] {
  return words.map((word) => Math.max(0, ...termsOf(word).map((term) => rarity.get(term) ?? 0)))
}

/** How much of a question a statement says, by what its words weigh; undefined where none weighs anything. */
function shareSaid(weights: readonly number[], said: ArrayLike<number>): number | undefined {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return total === 0 ? undefined : weights.reduce((sum, weight, at) => sum + weight * (said[at] ?? 0), 0) / total
}
