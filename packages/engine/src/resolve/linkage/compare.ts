import type { ComparedField, FieldKind, Prepared, SubjectCorpus } from './subject-corpus.ts'

/** Agreement level of a pair in each feature; MISSING if one side has no value. */
export type Levels = Int8Array

export const MISSING = -1

/** Indexes of the features that are not fields. Field features begin at FIRST_FIELD. */
export const NAME = 0
export const ALL_WORDS = 1
export const FIRST_FIELD = 4

/** Lower bounds of the similarity for the agreement levels. */
const NAME_STEPS = [0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.98]
const TEXT_STEPS = [0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9]
const VALUE_STEPS = [0.25, 0.5, 0.75, 0.92]
/** Minimum similarity of two spellings of a word. */
export const WORD_SIMILARITY_MIN = 0.88
/** Maximum number of subjects that have a rare value. Agreement in a rare value is stronger evidence. */
const RARE_MAX = 5
const AMOUNT_CLOSE = 0.02
const AMOUNT_NEAR = 0.25
/** Number of levels for years: the same year, an adjacent year, and any other year. */
const YEAR_LEVELS = 3
const EDITS_MAX = 2
const EDIT_CHARS_MAX = 40
/** Maximum words for fuzzy comparison. In longer texts typos matter little, and all pairs are slow. */
const SOFT_WORDS_MAX = 20

/** Minimum agreement level at which two values of a field count as equal. */
export const AGREES: Readonly<Record<FieldKind, number>> = { words: 2, digits: 2, amount: 3, year: 2 }

/** Compares two subjects feature by feature. */
export interface Comparer {
  /** Number of levels of each feature. */
  readonly sizes: readonly number[]
  /** Display name of each feature. */
  readonly labels: readonly string[]
  /** Default weights, used if there are too few pairs to learn from. */
  readonly defaults: Weights
  levels(one: Prepared, other: Prepared): Levels
}

/**
 * Default log-odds of a match of a candidate pair, set from experience. DEFAULT_EVIDENCE and DEFAULT_VALUE_EVIDENCE
 * have the log-likelihood ratio of each level of each feature.
 */
const DEFAULT_PRIOR = -4
/** Default log-odds for types that are identified by name, such as companies and places. */
const DEFAULT_PRIOR_NAMED = -3
const DEFAULT_EVIDENCE = {
  name: [-6, -6, -5, -3, -1, 0.5, 2, 4.2],
  allWords: [0, 0, 0, 0, 0, 0, 0, 0],
  codes: [-3, 0, 1.5, 4],
  numbers: [-3, -1, 0.5],
} as const
const DEFAULT_VALUE_EVIDENCE: Readonly<Record<FieldKind, readonly number[]>> = {
  words: [-1, -0.5, 0, 0.5, 1, 2.2],
  digits: [-6, 0, 2.2, 4],
  amount: [-1.5, -1, -0.5, 1],
  year: [-2.5, -1, 0.5],
}

/**
 * Creates the comparer of a corpus. Its features are the names, all words, model numbers, numbers, and each field.
 * @param isNamed true if entities of the type are identified by name, so that an equal name is strong evidence
 */
export function createComparer(corpus: SubjectCorpus, isNamed: boolean): Comparer {
  const { fields, idf } = corpus
  const similarityOf = createWordSimilarity(corpus)
  const norm = (tokens: readonly number[]) => Math.sqrt(tokens.reduce((sum, token) => sum + idf[token]! ** 2, 0))
  const cosine = (ones: readonly number[], others: readonly number[]): number => {
    const set = new Set(others)
    let product = 0
    for (const one of ones) if (set.has(one)) product += idf[one]! ** 2
    return product / (norm(ones) * norm(others) || 1)
  }
  const softCosine = (ones: readonly number[], others: readonly number[]): number => {
    if (ones.length === 0 || others.length === 0) return 0
    if (ones.length > SOFT_WORDS_MAX || others.length > SOFT_WORDS_MAX) return cosine(ones, others)
    let product = 0
    for (const one of ones) {
      const { token, similarity } = similarityOf(one, others)
      if (similarity > 0) product += idf[one]! * idf[token]! * similarity
    }
    return Math.min(1, product / (norm(ones) * norm(others)))
  }
  const features: { label: string; size: number; level: (one: Prepared, other: Prepared) => number }[] = [
    {
      label: 'name',
      size: NAME_STEPS.length + 1,
      level: (one, other) =>
        levelOf(softCosine(comparedNameTokens(one, other), comparedNameTokens(other, one)), NAME_STEPS),
    },
    {
      label: 'all words',
      size: TEXT_STEPS.length + 1,
      level: (one, other) => levelOf(cosine(one.tokens, other.tokens), TEXT_STEPS),
    },
    { label: 'model numbers', size: 4, level: (one, other) => codeLevel(corpus, one, other) },
    { label: 'numbers', size: 3, level: (one, other) => numberLevel(corpus, one, other) },
    ...fields.map((field, at) => ({
      label: field.name,
      size: DEFAULT_VALUE_EVIDENCE[field.kind].length,
      level: (one: Prepared, other: Prepared) => {
        const [mine, theirs] = [one.values[at], other.values[at]]
        if (mine === undefined || theirs === undefined) return MISSING
        const isRare = (corpus.valueCounts[at]!.get(mine) ?? 0) <= RARE_MAX
        return valueLevel(field, mine, theirs, isRare, () => softCosine(one.valueTokens[at]!, other.valueTokens[at]!))
      },
    })),
  ]
  return {
    sizes: features.map(({ size }) => size),
    labels: features.map(({ label }) => label),
    defaults: {
      prior: isNamed ? DEFAULT_PRIOR_NAMED : DEFAULT_PRIOR,
      evidence: [...Object.values(DEFAULT_EVIDENCE), ...fields.map(({ kind }) => DEFAULT_VALUE_EVIDENCE[kind])].map(
        (each) => Float64Array.from(each),
      ),
    },
    levels: (one, other) => Int8Array.from(features, ({ level }) => level(one, other)),
  }
}

/**
 * Returns the name tokens that are compared. Tokens that the other subject has outside its name (a manufacturer, a
 * place) are left out.
 */
function comparedNameTokens({ nameTokens }: Prepared, other: Prepared): number[] {
  return nameTokens.filter((token) => other.nameTokens.includes(token) || !other.tokens.includes(token))
}

function levelOf(value: number, steps: readonly number[]): number {
  let level = 0
  while (level < steps.length && value >= steps[level]!) level += 1
  return level
}

function valueLevel({ kind }: ComparedField, one: string, other: string, isRare: boolean, soft: () => number): number {
  if (kind === 'year') return Math.max(0, YEAR_LEVELS - 1 - Math.abs(Number(one) - Number(other)))
  if (kind === 'amount') {
    const [a, b] = [Number(one), Number(other)]
    const apart = Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b), 1e-9)
    return apart === 0 ? 3 : apart <= AMOUNT_CLOSE ? 2 : apart <= AMOUNT_NEAR ? 1 : 0
  }
  if (kind === 'digits') {
    if (one === other) return isRare ? 3 : 2
    return editDistance(one, other, EDITS_MAX - 1) < EDITS_MAX ? 1 : 0
  }
  if (one === other) return VALUE_STEPS.length + (isRare ? 1 : 0)
  const similarity =
    one.length <= EDIT_CHARS_MAX && other.length <= EDIT_CHARS_MAX
      ? Math.max(soft(), spellingSimilarity(one, other))
      : soft()
  return Math.min(VALUE_STEPS.length - 1, levelOf(similarity, VALUE_STEPS))
}

/** Returns the similarity of two values from 0 to 1. It tolerates typos and different spacing. */
function spellingSimilarity(one: string, other: string): number {
  const [a, b] = [one.replaceAll(' ', ''), other.replaceAll(' ', '')]
  const longest = Math.max(a.length, b.length)
  const most = Math.floor(longest / 4)
  const edits = editDistance(a, b, most)
  return edits > most ? 0 : 1 - edits / longest
}

function codeLevel({ words, isCode, isKey, counts }: SubjectCorpus, one: Prepared, other: Prepared): number {
  const ones = one.tokens.filter((token) => isCode[token])
  const others = other.tokens.filter((token) => isCode[token])
  if (ones.length === 0 || others.length === 0) return MISSING
  const shared = ones.filter((token) => others.includes(token))
  if (shared.length > 0) return shared.some((token) => isKey[token] && counts[token]! <= 2) ? 3 : 2
  const isSimilar = ones.some((a) =>
    others.some((b) => words[a]!.startsWith(words[b]!) || words[b]!.startsWith(words[a]!)),
  )
  return isSimilar ? 1 : 0
}

function numberLevel({ isNumber }: SubjectCorpus, one: Prepared, other: Prepared): number {
  const ones = one.nameTokens.filter((token) => isNumber[token])
  const others = other.nameTokens.filter((token) => isNumber[token])
  if (ones.length === 0 || others.length === 0) return MISSING
  const common = ones.filter((token) => others.includes(token)).length
  if (common === ones.length && common === others.length) return 2
  return common === Math.min(ones.length, others.length) ? 1 : 0
}

/** Creates a function that finds the word that is most similar to a given one. Comparisons are cached. */
function createWordSimilarity({ words, isCode, isNumber }: SubjectCorpus) {
  const cache = new Map<number, number>()
  const compare = (one: number, other: number): number => {
    const key = one < other ? one * words.length + other : other * words.length + one
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const [a, b] = [words[one]!, words[other]!]
    const similarity = Math.abs(a.length - b.length) > Math.min(a.length, b.length) ? 0 : jaroWinkler(a, b)
    const thresholded = similarity >= WORD_SIMILARITY_MIN ? similarity : 0
    if (cache.size < CACHED_PAIRS_MAX) cache.set(key, thresholded)
    return thresholded
  }
  return (one: number, others: readonly number[]): { token: number; similarity: number } => {
    if (others.includes(one)) return { token: one, similarity: 1 }
    let best = { token: one, similarity: 0 }
    // Numbers are compared exactly.
    if (isNumber[one] || isCode[one]) return best
    for (const other of others) {
      if (isNumber[other] || isCode[other]) continue
      const similarity = compare(one, other)
      if (similarity > best.similarity) best = { token: other, similarity }
    }
    return best
  }
}

/** Maximum number of cached word pairs: about 50 MB. */
const CACHED_PAIRS_MAX = 1_000_000

/** Weights of the agreement: for each feature and level the log-likelihood ratio of matches to non-matches. */
export interface Weights {
  /** Log-odds that a candidate pair is a match, before comparison. */
  prior: number
  evidence: Float64Array[]
}

/** Returns the Jaro–Winkler similarity of two words, from 0 to 1. It tolerates typos and favors equal prefixes. */
export function jaroWinkler(one: string, other: string): number {
  if (one === other) return 1
  const window = Math.max(0, Math.floor(Math.max(one.length, other.length) / 2) - 1)
  const taken = new Uint8Array(other.length)
  const matched: string[] = []
  for (let i = 0; i < one.length; i++) {
    const to = Math.min(other.length, i + window + 1)
    for (let j = Math.max(0, i - window); j < to; j++) {
      if (taken[j] || one[i] !== other[j]) continue
      taken[j] = 1
      matched.push(one[i] as string)
      break
    }
  }
  if (matched.length === 0) return 0
  let at = 0
  let swapped = 0
  for (let j = 0; j < other.length; j++) if (taken[j] && other[j] !== matched[at++]) swapped += 1
  const m = matched.length
  const jaro = (m / one.length + m / other.length + (m - swapped / 2) / m) / 3
  let prefix = 0
  while (prefix < PREFIX_MAX && prefix < one.length && one[prefix] === other[prefix]) prefix += 1
  return jaro + prefix * PREFIX_WEIGHT * (1 - jaro)
}

/** Constants of the Winkler prefix bonus. */
const PREFIX_MAX = 4
const PREFIX_WEIGHT = 0.1

/** Returns the edit distance with transpositions (optimal string alignment), counted up to `most` + 1. */
function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, j) => j)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
        cost = Math.min(cost, before[j - 2]! + 1)
      }
      next.push(cost)
    }
    before = row
    row = next
  }
  return Math.min(most + 1, row[other.length]!)
}
