import type { Question } from '../understand/question.ts'
import type { Corpus } from './brief.ts'
import type { Candidate, Material } from './candidates.ts'
import { isMessage } from './frame.ts'
import { nameWords } from './names.ts'
import { namesWritten } from './written-names.ts'

/** What speaks for (1), against (-1) or only beside (0) that the records answer, each from 0 to 1. */
export const ANSWER_FEATURES = {
  /** Share of what the question is about, by how rare it is, that no record in scope mentions: words, and names. */
  unheardWord: -1,
  unheardName: -1,
  /** A name of the question stands in no record as it is written. */
  unwritten: -1,
  /** The rarest term that the passage lacks which holds most of the question. */
  missing: -1,
  /** Share of what stands side by side in the question that does so in a sentence. */
  adjacent: 1,
  /** The ranking finds many records as good as the first. */
  flat: -1,
  /** What the person asked about wrote fits less than what others wrote; is not first. */
  otherPerson: -1,
  otherFirst: -1,
  /** It writes no name with capitals, which many leave out; is told from messages, which are short; has many terms. */
  nameless: 0,
  messages: 0,
  length: 0,
} as const
export type AnswerFeatures = Record<keyof typeof ANSWER_FEATURES, number>

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
/** Two words that begin with so many of the same letters, and with such a share of the longer, are forms of one. */
const AKIN_CHARS_MIN = 5
const AKIN_SHARE = 0.7
/** A record so far down the list shows whether the first stands out. */
const FLAT_PLACE = 4

type Terms = ReadonlySet<string>

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
  const weights = salientTerms(question, corpus, material.termsOf)
  if (weights.size === 0 || material.records.length === 0) return undefined
  const { records, candidates, termsOf } = material
  const heads = records.map(({ title = '', author }) => new Set(termsOf(`${title}\n${author?.name ?? ''}`)))
  const said = records.map((): Candidate[] => [])
  for (const candidate of candidates) said[candidate.record]!.push(candidate)
  const read: Read = { question, material, corpus, weights, heads, said }
  const all = union([...heads, ...candidates.map(({ terms }) => terms)])
  return {
    ...mentioned(read, all),
    missing: missingTerm(read),
    adjacent: adjacency(read),
    flat: records.length <= FLAT_PLACE ? 0 : records[FLAT_PLACE]!.score / Math.max(records[0]!.score, Number.MIN_VALUE),
    ...namesTold(read),
    ...personTold(read),
    messages: records.filter(isMessage).length / records.length,
    length: Math.min(1, weights.size / LONG_TERMS),
  }
}

/** What a question is about, each term by how rare it is in scope, the rarest first. */
export function salientTerms(
  { about, isForeign, text }: Question,
  corpus: Corpus,
  termsOf: Material['termsOf'],
): Map<string, number> {
  const heard = about.filter((term) => corpus.degreeOf(term) > 0)
  // A word of another language that no record has says nothing beside one that they have.
  let told = isForeign && heard.length > 0 ? heard : about
  if (corpus.isByMeaning) {
    const named = new Set(namesWritten(text, termsOf).flatMap(({ terms }) => terms))
    told = about.filter((term) => heard.includes(term) || named.has(term))
  }
  const weighed = told.map((term): [string, number] => {
    const degree = Math.min(corpus.records, corpus.degreeOf(term))
    return [term, Math.log(1 + (corpus.records - degree + 0.5) / (degree + 0.5))]
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

function mentioned(
  { question, material, corpus, weights }: Read,
  told: Terms,
): Pick<AnswerFeatures, 'unheardWord' | 'unheardName'> {
  const names = namesWritten(question.text, material.termsOf)
  const isHeard = (term: string) => corpus.degreeOf(term) > 0
  // Of several that are asked for together one is enough.
  const known = new Set(names.filter(({ terms }) => terms.every(isHeard)).map(({ group }) => group))
  const spared = new Set(names.filter(({ group }) => known.has(group)).flatMap(({ terms }) => terms))
  const named = new Set(names.flatMap(({ terms }) => terms))
  const unheard = [...weights.keys()].filter((term) => !isHeard(term) && !spared.has(term))
  const words = unheard.filter((term) => !named.has(term) && !isAkinToAny(term, told))
  const share = (terms: string[]) => shareOf(weights, new Set(terms))
  const strange = unheard.filter((term) => named.has(term))
  return {
    unheardWord: share(words),
    unheardName: share(strange),
  }
}

/** Whether a word is another form of one that is told, as far as letters tell: "complain" beside "complaint". */
function isAkinToAny(term: string, told: Terms): boolean {
  const begin = term.slice(0, AKIN_CHARS_MIN)
  if (begin.length < AKIN_CHARS_MIN) return false
  for (const other of told) {
    if (!other.startsWith(begin)) continue
    const shorter = Math.min(term.length, other.length)
    let same = begin.length
    while (same < shorter && term[same] === other[same]) same += 1
    if (same >= AKIN_SHARE * Math.max(term.length, other.length)) return true
  }
  return false
}

/** How rare the rarest term is that the best passage lacks, beside one that no record holds. */
function missingTerm({ weights, heads, said, corpus }: Read): number {
  const passages = said.flatMap((own, record) =>
    own.map((_, at) => {
      const terms = union([heads[record]!, ...own.slice(at, at + PASSAGE_SENTENCES).map((each) => each.terms)])
      return { cover: shareOf(weights, terms), terms }
    }),
  )
  const cover = Math.max(0, ...passages.map((each) => each.cover))
  const best = passages.find((each) => each.cover === cover)
  const lacking = [...weights].filter(([term]) => !best?.terms.has(term)).map(([, weight]) => weight)
  return Math.min(1, Math.max(0, ...lacking) / Math.log(2 + corpus.records))
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

function namesTold({ question, material, heads }: Read): Pick<AnswerFeatures, 'unwritten' | 'nameless'> {
  const { records, names, termsOf } = material
  const called = records.flatMap(({ entities }) => entities.map(({ name, aliases = [] }) => [name, ...aliases]))
  const known = [...names.findWords(question.text).map(({ words }) => [words]), ...called].map((each) =>
    each.flatMap(nameWords),
  )
  const texts = records.map(({ title = '', text = '' }) => ` ${nameWords(`${title}\n${text}`).join(' ')} `)
  // German writes every noun with a capital, so that there only several words in a row are surely a name.
  const written = namesWritten(question.text, termsOf).filter(({ text }) => !question.isForeign || text.includes(' '))
  const strangeness = written.map(({ text, terms }) => {
    // In another spelling or form: "Aschenbrodel", "Big Eye".
    if (terms.length > 0 && heads.some((each) => terms.every((term) => each.has(term)))) return 0
    const words = nameWords(text)
    // A first name alone makes nobody known.
    const alike = known.filter((each) => each.includes(words.at(-1)!))
    const shares = alike.map((each) => words.filter((word) => isKnown(word, each)).length / words.length)
    return texts.some((each) => each.includes(` ${words.join(' ')} `)) ? 0 : 1 - Math.max(0, ...shares)
  })
  // Of several that are asked for together the best known counts.
  const ofGroup = (group: number) => Math.min(...strangeness.filter((_, at) => written[at]!.group === group))
  const unwritten = written.reduce((sum, { group }) => sum + ofGroup(group) / written.length, 0)
  return { unwritten, nameless: written.length === 0 ? 1 : 0 }
}

function personTold({ question, material, weights }: Read): Pick<AnswerFeatures, 'otherPerson' | 'otherFirst'> {
  const { records, candidates, names, termsOf } = material
  const named = names.findWords(question.text).filter(({ name }) => names.isPerson(name))
  const asked = new Set(named.flatMap(({ name }) => names.entityOf(name) ?? []))
  const authors = records.map(({ author }) => author?.canonicalId)
  // What several did together is told by each of them.
  if (asked.size !== 1 || authors.every((id) => id === undefined)) return { otherPerson: 0, otherFirst: 0 }
  const isTheirs = (record: number) => asked.has(authors[record] ?? '')
  const own = new Set(named.flatMap(({ words }) => termsOf(words)))
  const rest = new Map([...weights].filter(([term]) => !own.has(term)))
  let [theirs, others] = [0, 0]
  for (const { record, terms } of rest.size > 0 ? candidates : []) {
    const cover = shareOf(rest, terms)
    if (isTheirs(record)) theirs = Math.max(theirs, cover)
    else if (authors[record] !== undefined) others = Math.max(others, cover)
  }
  const isOtherFirst = !isTheirs(authors.findIndex((id) => id !== undefined))
  return { otherPerson: Math.max(0, others - theirs), otherFirst: isOtherFirst ? 1 : 0 }
}
