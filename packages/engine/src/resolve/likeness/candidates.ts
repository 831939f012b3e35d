import type { Population } from './population.ts'

/** Two subjects that may be one, as places in the population, the lower first. */
export interface Candidate {
  one: number
  other: number
  /** Weight of the words that they share. */
  shared: number
}

/** Others that a subject is compared with, of other sources and of its own: those that share the rarest words. */
const ABROAD_MAX = 10
const AT_HOME_MAX = 6
/** Words by which a subject is looked up, its rarest. */
const WORDS_PER_SUBJECT = 24
/** A word of more subjects tells too little, and would cost their number each time. */
const WORD_SUBJECTS_MAX = 400

/**
 * The pairs worth comparing: each subject's nearest by shared rare words. Yields now and then, so that the caller can
 * let other work in.
 */
export function* findCandidates({ subjects, counts, idf }: Population): Generator<undefined, Candidate[]> {
  const lists = new Map<number, number[]>()
  for (const [place, { tokens }] of subjects.entries()) {
    for (const token of lookedUp(tokens)) {
      const list = lists.get(token)
      if (list) list.push(place)
      else lists.set(token, [place])
    }
    yield
  }
  function lookedUp(tokens: readonly number[]): number[] {
    return tokens
      .filter((token) => counts[token]! > 1 && counts[token]! <= WORD_SUBJECTS_MAX)
      .sort((a, b) => counts[a]! - counts[b]! || a - b)
      .slice(0, WORDS_PER_SUBJECT)
  }
  const sources = new Set(subjects.map(({ subject }) => subject.source)).size
  const pairs = new Map<number, Candidate>()
  for (const [place, { tokens, subject }] of subjects.entries()) {
    const { source } = subject
    const weights = new Map<number, number>()
    for (const token of lookedUp(tokens)) {
      const weight = idf[token]! ** 2
      for (const other of lists.get(token) ?? []) {
        if (other !== place) weights.set(other, (weights.get(other) ?? 0) + weight)
      }
    }
    const left = { abroad: ABROAD_MAX, atHome: sources > 1 ? AT_HOME_MAX : ABROAD_MAX }
    for (const [other, shared] of [...weights].sort(([a, one], [b, other]) => other - one || a - b)) {
      const where = subjects[other]!.subject.source === source ? 'atHome' : 'abroad'
      if (left[where]-- <= 0) continue
      const [low, high] = place < other ? [place, other] : [other, place]
      pairs.set(low * subjects.length + high, { one: low, other: high, shared })
    }
    yield
  }
  return [...pairs.values()]
}
