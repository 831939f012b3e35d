import { formTerms } from '../understand/form-words.ts'
import type { Question } from '../understand/question.ts'
import type { Corpus } from './brief.ts'
import type { Candidate, Material } from './candidates.ts'
import { isMessage } from './frame.ts'
import { nameWords } from './names.ts'
import { formOf } from './traits.ts'
import { namesWritten } from './written-names.ts'

/** What speaks for and against that the records answer, each from 0 to 1. */
export const ANSWER_FEATURES = [
  // Share of what the question is about, by how rare it is, that no record in scope mentions: words, and names.
  'unheard',
  'unheardName',
  // The same share that all records told of hold, and the best passage of one; and the share of terms it holds.
  'together',
  'passage',
  'plain',
  // The rarest term that the best passage lacks.
  'missing',
  // What the title leaves to the text, as far as one sentence of it says that.
  'beside',
  // Share of what stands side by side in the question that does so in a sentence.
  'adjacent',
  // A name of the question stands in no record as it is written.
  'unwritten',
  // It writes no name, as those do who write none with capitals.
  'nameless',
  // No good passage has the kind of answer that is asked for.
  'formless',
  // What the person asked about wrote fits less than what others wrote; is not first; is little of all.
  'otherPerson',
  'otherFirst',
  'otherShare',
  // Of a person; of messages, which are short; of how many terms.
  'person',
  'messages',
  'length',
] as const
export type AnswerFeatures = Record<(typeof ANSWER_FEATURES)[number], number>

/** Sentences that stand together and are read as one passage. */
const PASSAGE_SENTENCES = 3
/** Terms of the question that stand so far from each other in a sentence still stand together. */
const NEAR_TERMS = 3
/** Terms that are looked at, the rarest first, so that a long text asked as a question stays cheap. */
const TERMS_MAX = 40
/** Terms from which a question is long. */
const LONG_TERMS = 10
/** Characters of a word from which it may be short for another. */
const SHORT_CHARS_MIN = 3
/** What holds so much of the question beside the best passage is a good one too. */
const GOOD_SHARE = 0.75

/** A day as it is indexed. */
const DAY = /^\d{4}-\d{2}-\d{2}$/

type Terms = ReadonlySet<string>
type TermsOf = (text: string) => string[]

interface Read {
  question: Question
  material: Material
  corpus: Corpus
  /** What the question is about, by how rare it is in scope, the rarest first. */
  weights: ReadonlyMap<string, number>
  /** What stands in the title of each record and in the name of its author, and its sentences. */
  heads: Terms[]
  said: Candidate[][]
}

/** Reads from question and records what speaks for and against an answer; undefined when it is about nothing. */
export function answerFeatures(question: Question, material: Material, corpus: Corpus): AnswerFeatures | undefined {
  const weights = salientTerms(question, material.termsOf, corpus)
  if (weights.size === 0 || material.records.length === 0) return undefined
  const { records, candidates, termsOf } = material
  const heads = records.map(({ title = '', author }) => new Set(termsOf(`${title}\n${author?.name ?? ''}`)))
  const said = records.map((): Candidate[] => [])
  for (const candidate of candidates) said[candidate.record]!.push(candidate)
  const read: Read = { question, material, corpus, weights, heads, said }
  const all = union([...heads, ...candidates.map(({ terms }) => terms)])
  return {
    ...mentioned(read),
    together: shareOf(weights, all),
    ...bestPassage(read),
    adjacent: adjacency(read),
    ...namesTold(read),
    ...personTold(read),
    messages: records.filter(isMessage).length / records.length,
    length: Math.min(1, weights.size / LONG_TERMS),
  }
}

/** What a question is about, each term by how rare it is in scope, the rarest first. */
export function salientTerms(question: Question, termsOf: TermsOf, corpus: Corpus): Map<string, number> {
  // Days are told by when records are of, not in words.
  const isForm = formTerms(true, termsOf)
  const weighed = question.terms.flatMap((term): [string, number][] => {
    if (isForm(term) || DAY.test(term)) return []
    const degree = Math.min(corpus.records, corpus.degreeOf(term))
    return [[term, Math.log(1 + (corpus.records - degree + 0.5) / (degree + 0.5))]]
  })
  return new Map(weighed.sort((one, other) => other[1] - one[1]).slice(0, TERMS_MAX))
}

function union(sets: readonly Terms[]): Set<string> {
  const all = new Set<string>()
  for (const set of sets) for (const term of set) all.add(term)
  return all
}

/** Share of the weights that some terms hold. */
function shareOf(weights: ReadonlyMap<string, number>, terms: Terms): number {
  let [held, total] = [0, 0]
  for (const [term, weight] of weights) {
    total += weight
    if (terms.has(term)) held += weight
  }
  return total === 0 ? 1 : held / total
}

function mentioned({ question, material, corpus, weights }: Read): Pick<AnswerFeatures, 'unheard' | 'unheardName'> {
  const named = new Set(namesWritten(question.text, material.termsOf).flatMap(({ terms }) => terms))
  const unheard = [...weights.keys()].filter((term) => corpus.degreeOf(term) === 0)
  const share = (terms: string[]) => shareOf(weights, new Set(terms))
  return {
    unheard: share(unheard.filter((term) => !named.has(term))),
    unheardName: share(unheard.filter((term) => named.has(term))),
  }
}

function bestPassage(read: Read): Pick<AnswerFeatures, 'passage' | 'plain' | 'missing' | 'beside' | 'formless'> {
  const { question, weights, heads, said, corpus } = read
  const passages = said.flatMap((own, record) =>
    own.map((_, at) => {
      const within = own.slice(at, at + PASSAGE_SENTENCES)
      const terms = union([heads[record]!, ...within.map((each) => each.terms)])
      return { cover: shareOf(weights, terms), terms, within }
    }),
  )
  const cover = Math.max(0, ...passages.map((each) => each.cover))
  const best = passages.find((each) => each.cover === cover)
  const good = passages.filter((each) => each.cover >= GOOD_SHARE * cover)
  const lacking = [...weights].filter(([term]) => !best?.terms.has(term)).map(([, weight]) => weight)
  const counts = passages.map(({ terms }) => [...weights.keys()].filter((term) => terms.has(term)).length)
  const forms = good.flatMap(({ within }) => within.map(({ text }) => formOf(question, text)))
  return {
    passage: cover,
    plain: Math.max(0, ...counts) / weights.size,
    missing: Math.min(1, Math.max(0, ...lacking) / Math.log(2 + corpus.records)),
    beside: Math.max(0, ...said.map((own, at) => besideHead(read, own, heads[at]!))),
    formless: Math.max(0, ...forms) > 0 ? 0 : 1,
  }
}

function besideHead({ weights }: Read, own: readonly Candidate[], head: Terms): number {
  const left = new Map([...weights].filter(([term]) => !head.has(term)))
  const told = Math.max(0, ...own.map(({ terms }) => shareOf(left, terms)))
  return shareOf(weights, head) * told
}

function adjacency({ question: { terms }, weights, material: { candidates } }: Read): number {
  const told = terms.filter((term) => weights.has(term))
  const pairs = told.slice(1).map((term, at) => [told[at]!, term] as const)
  if (pairs.length === 0) return candidates.some((each) => told.every((term) => each.terms.has(term))) ? 1 : 0
  const held = new Set<number>()
  for (const { terms: own } of candidates) {
    const places = new Map([...own].map((term, at) => [term, at]))
    for (const [at, [one, other]] of pairs.entries()) {
      const [from, to] = [places.get(one), places.get(other)]
      if (from !== undefined && to !== undefined && Math.abs(from - to) <= NEAR_TERMS) held.add(at)
    }
  }
  const weigh = (places: Iterable<number>) =>
    [...places].reduce((sum, at) => sum + Math.min(...pairs[at]!.map((term) => weights.get(term)!)), 0)
  return weigh(held) / Math.max(Number.MIN_VALUE, weigh(pairs.keys()))
}

/** Whether a word is one of a name, or short for one: "Alex" for "Alexandra". */
function isKnown(word: string, known: readonly string[]): boolean {
  return known.some((each) => each === word || (word.length >= SHORT_CHARS_MIN && each.startsWith(word)))
}

function namesTold({ question, material }: Read): Pick<AnswerFeatures, 'unwritten' | 'nameless'> {
  const { records, names, termsOf } = material
  const called = records.flatMap(({ entities }) => entities.map(({ name, aliases = [] }) => [name, ...aliases]))
  const known = [...names.findWords(question.text).map(({ words }) => [words]), ...called].map((each) =>
    each.flatMap(nameWords),
  )
  const texts = records.map(({ title = '', text = '' }) => ` ${nameWords(`${title}\n${text}`).join(' ')} `)
  const written = namesWritten(question.text, termsOf)
  let unwritten = 0
  for (const { text } of written) {
    const words = nameWords(text)
    // A first name alone makes nobody known.
    const alike = known.filter((each) => each.includes(words.at(-1)!))
    const shares = alike.map((each) => words.filter((word) => isKnown(word, each)).length / words.length)
    const strange = 1 - Math.max(0, ...shares)
    if (strange === 0 || texts.some((each) => each.includes(` ${words.join(' ')} `))) continue
    unwritten += strange / written.length
  }
  return { unwritten, nameless: written.length === 0 ? 1 : 0 }
}

function personTold({
  question,
  material,
  weights,
}: Read): Pick<AnswerFeatures, 'otherPerson' | 'otherFirst' | 'otherShare' | 'person'> {
  const { records, candidates, names, termsOf } = material
  const named = names.findWords(question.text).filter(({ name }) => names.isPerson(name))
  const asked = new Set(named.flatMap(({ name }) => names.entityOf(name) ?? []))
  const authors = records.map(({ author }) => author?.canonicalId)
  const none = { otherPerson: 0, otherFirst: 0, otherShare: 0, person: 0 }
  // What several did together is told by each of them.
  if (asked.size !== 1 || authors.every((id) => id === undefined)) return none
  const isTheirs = (record: number) => asked.has(authors[record] ?? '')
  const own = new Set(named.flatMap(({ words }) => termsOf(words)))
  const rest = new Map([...weights].filter(([term]) => !own.has(term)))
  let [theirs, others] = [0, 0]
  for (const { record, terms } of rest.size > 0 ? candidates : []) {
    const cover = shareOf(rest, terms)
    if (isTheirs(record)) theirs = Math.max(theirs, cover)
    else if (authors[record] !== undefined) others = Math.max(others, cover)
  }
  const ranks = records.map((_, at) => (authors[at] === undefined ? 0 : 1 / (at + 1)))
  const share = ranks.reduce((sum, rank, at) => sum + (isTheirs(at) ? rank : 0), 0) / ranks.reduce((a, b) => a + b, 0)
  const isOtherFirst = authors[0] !== undefined && !isTheirs(0)
  return {
    otherPerson: Math.max(0, others - theirs),
    otherFirst: isOtherFirst ? 1 : 0,
    otherShare: 1 - share,
    person: 1,
  }
}
