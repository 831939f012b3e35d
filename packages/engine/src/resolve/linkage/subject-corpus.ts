import { hasLetter, hasNumber } from '../../text/characters.ts'
import { foldText } from '../../text/words.ts'

/** An entity in the form in which it is compared with others of its type. */
export interface Subject {
  /** Id of the entity's part. */
  id: string
  /** Source of its record. Sources usually list each entity once. */
  source: string
  names: readonly string[]
  properties: Readonly<Record<string, unknown>>
}

/** Comparison method of a field. */
export type FieldKind = 'words' | 'digits' | 'amount' | 'year'

export interface ComparedField {
  name: string
  kind: FieldKind
}

/** A subject prepared for comparison. Tokens are indexes in `words` of the corpus. */
export interface Prepared {
  subject: Subject
  /** Distinct tokens of its names. `tokens` has those of names and fields. */
  nameTokens: number[]
  /** Tokens of its names without compounds such as `pslx350h`. */
  nameWords: number[]
  tokens: number[]
  /** Normalized value of each field; undefined if it has none. */
  values: (string | undefined)[]
  /** Tokens of each value of kind 'words'. */
  valueTokens: (number[] | undefined)[]
}

/** All subjects that are compared together, with corpus statistics. */
export interface SubjectCorpus {
  fields: ComparedField[]
  subjects: Prepared[]
  words: string[]
  /** Number of subjects with each token. */
  counts: number[]
  idf: Float64Array
  /** 1 for each token that looks like a model number. `isNumber`: 1 for each token with digits and without letters. */
  isCode: Uint8Array
  isNumber: Uint8Array
  /** 1 for each token that may identify a single product. */
  isKey: Uint8Array
  /** Number of subjects with each value of a field. */
  valueCounts: Map<string, number>[]
}

/** Maximum number of compared fields. Those that most subjects have are chosen. */
const FIELDS_MAX = 12
/** Minimum share of subjects that have a compared field. Rarer fields give too little data for learning. */
const FIELD_SHARE_MIN = 0.05
/** Minimum share of a field's values that must have a format (such as a year) for the field to get that kind. */
const FORM_SHARE = 0.8
const AMOUNT = /^[^\d\p{L}]*\d[\d,]*(?:\.\d+)?\s*(?:\p{L}{1,3}|%)?$/u
const YEAR = /^\P{L}*(?:1[5-9]|20)\d\d\P{L}*$/u
const DIGITS_MIN = 5
/** Maximum number of values that are examined to find the kind of a field. */
const VALUES_EXAMINED_MAX = 5_000

/** Tokenizes all subjects and normalizes their fields. Yields often, so that the caller can run other work. */
export function* createSubjectCorpus(subjects: readonly Subject[]): Generator<undefined, SubjectCorpus> {
  const fields = yield* fieldsOf(subjects)
  const tokenIds = new Map<string, number>()
  const words: string[] = []
  const counts: number[] = []
  const toTokens = (tokens: readonly string[]): number[] => {
    const found = new Set<number>()
    for (const token of tokens) {
      let id = tokenIds.get(token)
      if (id === undefined) {
        id = words.length
        tokenIds.set(token, id)
        words.push(token)
        counts.push(0)
      }
      found.add(id)
    }
    return [...found]
  }
  const valueCounts = fields.map(() => new Map<string, number>())
  const prepared: Prepared[] = []
  for (const subject of subjects) {
    const nameTokens = toTokens(subject.names.flatMap((name) => tokensOf(plainText(name))))
    const nameWords = toTokens(subject.names.flatMap((name) => piecesOf(plainText(name))))
    const values = fields.map((field) => normalised(field, valueIn(subject, field.name)))
    const valueTokens = values.map((value, at) =>
      value && fields[at]?.kind === 'words' ? toTokens(tokensOf(value)) : undefined,
    )
    for (const [at, value] of values.entries()) {
      if (value) valueCounts[at]!.set(value, (valueCounts[at]!.get(value) ?? 0) + 1)
    }
    const rest = values.flatMap((value, at) => (value && fields[at]?.kind === 'digits' ? toTokens([value]) : []))
    const tokens = [...new Set([...nameTokens, ...valueTokens.flatMap((each) => each ?? []), ...rest])]
    for (const token of tokens) counts[token]! += 1
    prepared.push({ subject, nameTokens, nameWords, tokens, values, valueTokens })
    yield
  }
  return {
    fields,
    subjects: prepared,
    words,
    counts,
    idf: Float64Array.from(counts, (count) => Math.log(1 + subjects.length / Math.max(1, count))),
    isCode: Uint8Array.from(words, (word) => Number(isCode(word))),
    isNumber: Uint8Array.from(words, (word) => Number(isNumber(word))),
    isKey: Uint8Array.from(words, (word) => Number(isKey(word))),
    valueCounts,
  }
}

function* fieldsOf(subjects: readonly Subject[]): Generator<undefined, ComparedField[]> {
  const seen = new Map<string, string[]>()
  for (const { properties } of subjects) {
    for (const [name, value] of Object.entries(properties)) {
      const plain = plainText(value)
      if (!plain) continue
      const values = seen.get(name)
      if (values) values.push(plain)
      else seen.set(name, [plain])
    }
    yield
  }
  return [...seen]
    .filter(([, values]) => values.length >= subjects.length * FIELD_SHARE_MIN)
    .sort(([one, ones], [other, others]) => others.length - ones.length || (one < other ? -1 : 1))
    .slice(0, FIELDS_MAX)
    .map(([name, values]) => ({ name, kind: kindOf(values) }))
}

function kindOf(values: readonly string[]): FieldKind {
  const examined = values.slice(0, VALUES_EXAMINED_MAX)
  const share = (test: (value: string) => boolean) => examined.filter(test).length / examined.length
  if (share((value) => isDigits(value)) >= FORM_SHARE) return 'digits'
  if (share((value) => YEAR.test(value)) >= FORM_SHARE) return 'year'
  if (share((value) => AMOUNT.test(value)) >= FORM_SHARE) return 'amount'
  return 'words'
}

/** Returns true for telephone numbers, dates and document numbers: at least five digits and no letters. */
function isDigits(value: string): boolean {
  const digits = numbersOf(value).length
  const letters = value.replace(/\P{L}/gu, '').length
  return digits >= DIGITS_MIN && letters === 0 && !/\.\d{1,2}$/.test(value)
}

/** Returns the digits of a value without separators. */
function numbersOf(value: string): string {
  return value.replace(/\P{N}/gu, '')
}

/** Returns a subject's own property; names such as `constructor` are not inherited. */
function valueIn({ properties }: Subject, name: string): unknown {
  return Object.hasOwn(properties, name) ? properties[name] : undefined
}

function amountIn(plain: string): string | undefined {
  return /\d[\d,]*(?:\.\d+)?/.exec(plain)?.[0].replaceAll(',', '')
}

function normalised({ kind }: ComparedField, value: unknown): string | undefined {
  const plain = plainText(value)
  if (!plain) return undefined
  if (kind === 'digits') return numbersOf(plain) || undefined
  if (kind === 'year') return /\d{4}/.exec(plain)?.[0]
  // An amount of 0 usually means that the amount is unknown.
  if (kind === 'amount') return Number(amountIn(plain)) > 0 ? amountIn(plain) : undefined
  return plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim() || undefined
}

const WORD = /[\p{L}\p{N}]+(?:[-./'][\p{L}\p{N}]+)*/gu
const PIECE = /[\p{L}\p{N}]+/gu
/** Matches the ending of `Anna's`, which is also written `Annas` or with a space. */
const POSSESSIVE = /(?<=[\p{L}\\ ])'s(?![\p{L}\p{N}])/gu
/** Maximum length in characters. The rest of a longer text adds little evidence. */
const TEXT_CHARS_MAX = 2_000

/** Returns a text in lower case without accents. Numbers are converted to text. */
function plainText(value: unknown): string {
  const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
  return foldText(text.slice(0, TEXT_CHARS_MAX)).toLowerCase().replace(POSSESSIVE, '').trim()
}

/** Roman numerals that are neither initials nor names. */
const ROMAN = new Map(Object.entries({ ii: '2', iii: '3', iv: '4', vi: '6', vii: '7', viii: '8', ix: '9' }))

/** Returns the words of a plain text. */
function piecesOf(plain: string): string[] {
  return (plain.match(PIECE) ?? []).map((piece) => ROMAN.get(piece) ?? piece)
}

/** Returns the words of a plain text. `ps-lx350h` yields `pslx350h` too, as a compound with a digit. */
function tokensOf(plain: string): string[] {
  const tokens: string[] = []
  for (const [word] of plain.matchAll(WORD)) {
    const pieces = piecesOf(word)
    tokens.push(...pieces)
    if (pieces.length > 1 && hasNumber(word)) tokens.push(pieces.join(''))
  }
  return tokens
}

function isNumber(token: string): boolean {
  return hasNumber(token) && !hasLetter(token)
}

/** Minimum length of a model number. Shorter combinations are measures and ordinals (`5mp`, `2nd`). */
const CODE_CHARS_MIN = 4

/** Returns true if a token is like a model number: letters and digits in one word. */
function isCode(token: string): boolean {
  return token.length >= CODE_CHARS_MIN && hasNumber(token) && hasLetter(token)
}

/** Matches a quantity with its unit: `300mm`, `5disc`. */
const MEASURE = /^\p{N}+\p{L}+$/u
/** Minimum length of an identifying number. Shorter numbers are sizes, years and positions in a series. */
const KEY_DIGITS_MIN = 5

/** Returns true if a token may identify a single product: a model number or a long number. */
function isKey(token: string): boolean {
  return isCode(token) ? !MEASURE.test(token) : isNumber(token) && token.length >= KEY_DIGITS_MIN
}

/** Number of subjects sorted per step: one or two milliseconds. */
const RUN_SUBJECTS = 500

/** Sorts the subjects by content with a merge sort in runs, so that no single step takes long. */
export function* sortByContent(given: readonly Subject[]): Generator<undefined, Subject[]> {
  let runs: { subject: Subject; text: string }[][] = []
  for (let at = 0; at < given.length; at += RUN_SUBJECTS) {
    const run = given.slice(at, at + RUN_SUBJECTS).map((subject) => {
      const { id, source, names, properties } = subject
      return { subject, text: JSON.stringify([names, Object.entries(properties).sort(), source, id]) }
    })
    runs.push(run.sort((one, other) => (one.text < other.text ? -1 : 1)))
    yield
  }
  while (runs.length > 1) {
    const merged: typeof runs = []
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* mergedRuns(runs[at]!, runs[at + 1] ?? []))
    runs = merged
  }
  return (runs[0] ?? []).map(({ subject }) => subject)
}

function* mergedRuns<T extends { text: string }>(one: T[], other: T[]): Generator<undefined, T[]> {
  const merged: T[] = []
  for (let i = 0, j = 0; i < one.length || j < other.length; ) {
    const isFirst = j >= other.length || (i < one.length && one[i]!.text <= other[j]!.text)
    merged.push(isFirst ? one[i++]! : other[j++]!)
    if (merged.length % RUN_SUBJECTS === 0) yield
  }
  return merged
}

/** Creates a function that returns the idf-weighted cosine of two subjects. It is fastest if the first one repeats. */
export function createCosine(
  { subjects, idf }: SubjectCorpus,
  tokensOf: (subject: Prepared) => readonly number[],
): (one: number, other: number) => number {
  const weight = (tokens: readonly number[]) => {
    let sum = 0
    for (const token of tokens) sum += idf[token]! ** 2
    return sum
  }
  const norms = Float64Array.from(subjects, (subject) => Math.sqrt(weight(tokensOf(subject))))
  const marked = new Uint8Array(idf.length)
  let marking: readonly number[] = []
  return (one, other) => {
    const mine = tokensOf(subjects[one]!)
    if (mine !== marking) {
      for (const token of marking) marked[token] = 0
      for (const token of mine) marked[token] = 1
      marking = mine
    }
    let sum = 0
    for (const token of tokensOf(subjects[other]!)) if (marked[token]) sum += idf[token]! ** 2
    return sum / (norms[one]! * norms[other]! || 1)
  }
}
