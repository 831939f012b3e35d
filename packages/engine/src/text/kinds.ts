import { TOPICS, type Topic } from '../lexicon/asked.ts'
import { ONE_AT_A_TIME, ROLE } from '../lexicon/facts.ts'
import { ENGLISH_KINDS, KINDS } from '../lexicon/languages.ts'
import { humpsApart } from '../lexicon/work.ts'
import { normaliseName } from './names.ts'
import { termOf } from './stem.ts'
import { foldText } from './words.ts'

/** The most words of one kind, as "pull request" has two. */
export const KIND_WORDS_MAX = 2

/** Whether an English word ends in a `y` that is written as `i` before an ending. */
export function endsInConsonantY(word: string): boolean {
  return /[^aeiou]y$/.test(word)
}

/** Regular English forms of a noun beside itself: the singular of a plural and the plural of a singular. */
export function plural(word: string): string {
  if (word === 'person') return 'people'
  if (endsInConsonantY(word)) return `${word.slice(0, -1)}ies`
  return /(s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`
}

/** The English nouns of the kind that a type is of, in the singular; its own words alone when it is of none. */
export function nounsOfType(type: string): readonly string[] {
  const own = type.replaceAll('_', ' ')
  return ENGLISH_KINDS.find((nouns) => nouns.includes(own)) ?? [own]
}

/** Every word for the kind that a type is of, in all languages; its own words when it is of none. */
export function wordsOfType(type: string): readonly string[] {
  const [name = ''] = nounsOfType(type)
  return KINDS.get(name) ?? [name]
}

/** By a word or words for a kind, folded and as they are written, the types of it: "outage" → `incident`, `outage` … */
const TYPES: ReadonlyMap<string, readonly string[]> = new Map(
  ENGLISH_KINDS.flatMap((nouns) => {
    const types = nouns.map((noun) => noun.replaceAll(' ', '_'))
    return [...KINDS.get(nouns[0]!)!, ...nouns.map(plural)].map((words) => [foldText(words), types] as const)
  }),
)
const TYPES_BY_TERM: ReadonlyMap<string, readonly string[]> = new Map(
  Array.from(TYPES).flatMap(([words, types]) => {
    const term = words.includes(' ') ? undefined : termOf(words.toLowerCase())
    return term === undefined ? [] : [[term, types] as const]
  }),
)

/** The types that some words call, folded and as they are written; none when they call no kind. */
export function typesCalled(words: string): readonly string[] {
  return TYPES.get(words) ?? []
}

/** The types that a term calls by itself. */
export function typesOfTerm(term: string): readonly string[] {
  return TYPES_BY_TERM.get(term) ?? []
}

/** The term of records that are of a type, or are declared to be about something of it; no text has it. */
export function typeTerm(type: string): string {
  return `~type:${type}`
}

/** The terms of the records whose declared field has the value; no text has one. */
export function fieldTerms(field: string, value: string): string[] {
  const folded = normaliseName(value)
  const term = (said: string) => `~${field}:${said}`
  return field === 'due'
    ? [value.slice(0, 'YYYY-MM'.length), value.slice(0, 'YYYY-MM-DD'.length)].map(term)
    : [term(folded)]
}

/** A longer heading is a title rather than a label of what stands below. */
export const LABEL_CHARS_MAX = 60

/** The topics that a question in lower case asks for. */
export function topicsAsked(question: string): Topic[] {
  const asked = TOPICS.filter((each) => each.asks.test(question))
  return asked.flatMap(({ topic }) => (asked.some(({ inPlaceOf }) => inPlaceOf === topic) ? [] : [topic]))
}

/** The topics that a section's label stands for; none for a heading that is no such label. */
export function topicsOf(label: string): Topic[] {
  if (label.length > LABEL_CHARS_MAX) return []
  return TOPICS.filter((each) => each.labels.test(label)).map(({ topic }) => topic)
}

/** The label that a raw line opens with in bold, with the rest of the line. */
export function readLeadIn(line: string): { label: string; rest: string } | undefined {
  if (line[0] !== '*' && line[0] !== '_') return undefined
  const found = /^(\*\*|__|\*|_)([^*_]{2,100}?)([.:?]?)\1([.:]?) +(?=\S)/.exec(line)
  if (!found || (found[3] === '' && found[4] === '')) return undefined
  return { label: `${found[2]!.trim()}${found[3] === '?' ? '?' : ''}`, rest: line.slice(found[0].length) }
}

/** The known label that a plain line opens with, as in "Root cause: the index was dropped". */
export function plainLabel(line: string): string | undefined {
  const label = /^(\p{Lu}[\p{L} -]{1,30}):\s/u.exec(line)?.[1]
  return label !== undefined && topicsOf(label).length > 0 ? label : undefined
}

/** A predicate as words: "worksAt" and "works_at" are "works at". */
export function predicateWords(predicate: string): string {
  return humpsApart(predicate.replace(/[_.:/-]+/g, ' '))
    .toLowerCase()
    .trim()
}

/** Which of two ends an exclusive predicate allows one value at a time; undefined when it allows several. */
export function changingEnd(predicate: string): 'subject' | 'object' | undefined {
  const words = predicateWords(predicate)
  if (ROLE.test(words)) return 'subject'
  return ONE_AT_A_TIME.test(words) ? 'object' : undefined
}
