import { plainLine } from '../text/clean-text.ts'
import type { Candidate, Material } from './candidates.ts'
import fitted from './statement-weights.json' with { type: 'json' }

/** What a model says of a statement beside a question, each up to 1. */
export interface Meaning {
  /** The cosine of both. */
  alike: number
  /** How much of the question's words it says, each word by how rare it is. */
  said: number
}

/** A statement as it is compared with a question: it is understood by the title and the heading above it. */
export function comparedText({ record, text, sentence }: Candidate, { records }: Material): string {
  const title = plainLine(records[record]!.title ?? '')
  const heading = plainLine(sentence?.heading ?? '')
  const above = [title, heading === title ? '' : heading].filter((each) => each !== '')
  return above.length === 0 ? text : `${above.join(' › ')}: ${text}`
}

/** What the model says of each statement that it compared; nothing of the others. */
export function meaningsOf(material: Material, rarity: ReadonlyMap<string, number>): (Meaning | undefined)[] {
  const { candidates, meant, termsOf } = material
  if (!meant) return candidates.map(() => undefined)
  const weights = wordWeights(meant.words, termsOf, rarity)
  return candidates.map((each) => {
    const found = meant.texts.get(comparedText(each, material))
    return found && { alike: found.alike, said: shareSaid(weights, found.said) ?? 0 }
  })
}

/** What each word of a question weighs: the rarest of its terms. */
export function wordWeights(
  words: readonly string[],
  termsOf: Material['termsOf'],
  rarity: ReadonlyMap<string, number>,
): number[] {
  return words.map((word) => Math.max(0, ...termsOf(word).map((term) => rarity.get(term) ?? 0)))
}

/** How much of a question a statement says, by what its words weigh; undefined where none weighs anything. */
export function shareSaid(weights: readonly number[], said: ArrayLike<number>): number | undefined {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return total === 0 ? undefined : weights.reduce((sum, weight, at) => sum + weight * (said[at] ?? 0), 0) / total
}

/**
 * By how much less each statement is worth than by its words, for what it means less of the question than the one that
 * means most; one that was not compared means as little as the least of the others. `statement-weights.json` has what
 * that counts; `npm run fit:statements` makes it.
 */
export function lessMeant(material: Material, rarity: ReadonlyMap<string, number>): number[] {
  const meant = meaningsOf(material, rarity).map((each) => each && fitted.alike * each.alike + fitted.said * each.said)
  const known = meant.filter((each) => each !== undefined)
  if (known.length === 0) return meant.map(() => 0)
  const [least, most] = [Math.min(...known), Math.max(...known)]
  return meant.map((each) => most - (each ?? least))
}
