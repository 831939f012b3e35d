import { readSentences } from '../text/sentences.ts'
import { terms } from '../text/terms.ts'
import type { TermWeight, TermWeights } from '../understand/analyse-question.ts'

/** A sentence of a record with the query terms that it contains. */
export interface ScoredSentence {
  readonly text: string
  /** Number of its paragraph or list item. */
  readonly block: number
  /** Distinct terms of the sentence. */
  readonly terms: ReadonlySet<string>
  /** Query terms that it contains. Different forms of a term count once. */
  readonly held: readonly TermWeight[]
}

/** A range of adjacent sentences; `to` is exclusive. */
export interface Run {
  readonly from: number
  readonly to: number
}

/** Maximum number of sentences that are read. A longer text usually states what matters early. */
const SENTENCES_MAX = 200
const ELLIPSIS = '…'
/** Separator between two sentences of a run: a space or a line break. */
const JOINT = ' '

/** Returns the sentences of a text in order, each with the query terms that it contains. */
export function scoreSentences(text: string, weights: TermWeights): ScoredSentence[] {
  return readSentences(text)
    .slice(0, SENTENCES_MAX)
    .map((sentence) => scoreSentence(sentence, weights))
}

/** Returns a sentence with the query terms that it contains. */
export function scoreSentence(
  { text, block }: Pick<ScoredSentence, 'text' | 'block'>,
  weights: TermWeights,
): ScoredSentence {
  const said = new Set(terms(text))
  return { text, block, terms: said, held: matchedTerms(said, weights) }
}

function matchedTerms(said: ReadonlySet<string>, weights: TermWeights): TermWeight[] {
  const held = new Map<number, TermWeight>()
  for (const term of said) {
    const weight = weights.get(term)
    if (weight) held.set(weight.position, weight)
  }
  return [...held.values()]
}

/**
 * Returns the run that covers most of the question and fits `sizeMax`, as measured by `sizeOf`. Each query term counts
 * once with its weight. Among equal runs the shortest wins, then the first. If space is left, the run is extended to
 * the end of its last paragraph and to the start of its first one. Returns undefined if no sentence fits.
 */
export function bestRun(
  sentences: readonly ScoredSentence[],
  sizeMax: number,
  sizeOf: (text: string) => number,
): (Run & { readonly held: number }) | undefined {
  const sizes = sentences.map(({ text }) => sizeOf(text) + sizeOf(JOINT))
  let best: (Run & { held: number }) | undefined
  for (let from = 0; from < sentences.length; from += 1) {
    const seen = new Set<number>()
    let held = 0
    let size = -sizeOf(JOINT)
    for (let to = from + 1; to <= sentences.length; to += 1) {
      size += sizes[to - 1]!
      if (size > sizeMax) break
      for (const { position, idf } of sentences[to - 1]!.held) {
        if (!seen.has(position)) held += idf
        seen.add(position)
      }
      const isShorter = held === best?.held && to - from < best.to - best.from
      if (!best || held > best.held || isShorter) best = { from, to, held }
    }
  }
  if (!best) return undefined
  const left = sizes.slice(best.from, best.to).reduce((rest, size) => rest - size, sizeMax + sizeOf(JOINT))
  return { ...widened(sentences, sizes, best, left), held: best.held }
}

/** Returns the sum of the weights of the query terms in a sentence. */
export function sumOf({ held }: Pick<ScoredSentence, 'held'>): number {
  return held.reduce((sum, { idf }) => sum + idf, 0)
}

function widened(sentences: readonly ScoredSentence[], sizes: readonly number[], run: Run, sizeLeft: number): Run {
  let { from, to } = run
  let left = sizeLeft
  const goesOn = (at: number, beside: number) =>
    sentences[at] !== undefined && sentences[at].block === sentences[beside]!.block && sizes[at]! <= left
  for (; goesOn(to, to - 1); to += 1) left -= sizes[to]!
  for (; goesOn(from - 1, from); from -= 1) left -= sizes[from - 1]!
  return { from, to }
}

/** Returns the text of a run. Sentences of a paragraph are joined by spaces, and each paragraph is on its own line. */
export function textOf(sentences: readonly ScoredSentence[], { from, to }: Run): string {
  let text = ''
  for (let at = from; at < to; at += 1) {
    const { text: sentence, block } = sentences[at]!
    if (at > from) text += block === sentences[at - 1]!.block ? JOINT : '\n'
    text += sentence
  }
  return text
}

/** Cuts a sentence to `charsMax` characters. Starts at the word that gives the best coverage of the question. */
export function cutSentence({ text }: ScoredSentence, weights: TermWeights, charsMax: number): string {
  if (text.length <= charsMax) return text
  const charsLeft = charsMax - 2 * ELLIPSIS.length
  const words = [...text.matchAll(/\S+/gu)].map(({ index, 0: word }) => ({
    from: index,
    to: index + word.length,
    held: matchedTerms(new Set(terms(word)), weights),
  }))
  let best = { from: 0, held: 0 }
  for (const [at, { from }] of words.entries()) {
    const idfs = new Map<number, number>()
    for (let on = at; on < words.length && words[on]!.to - from <= charsLeft; on += 1)
      for (const { position, idf } of words[on]!.held) idfs.set(position, idf)
    const held = [...idfs.values()].reduce((sum, idf) => sum + idf, 0)
    if (held > best.held) best = { from, held }
  }
  // Removes the first half of a split surrogate pair.
  const cut = text.slice(best.from, best.from + charsLeft).replace(/[\ud800-\udbff]$/, '')
  const isEnd = best.from + cut.length >= text.length
  const space = isEnd ? -1 : cut.lastIndexOf(' ')
  const excerpt = space > charsLeft / 2 ? cut.slice(0, space) : cut
  return `${best.from > 0 ? ELLIPSIS : ''}${excerpt}${isEnd ? '' : ELLIPSIS}`
}
