import { ENGLISH_KINDS, KINDS } from '../lexicon/languages.ts'
import { foldText } from './fold.ts'
import { normaliseName } from './names.ts'
import { termOf } from './term-of.ts'

/** The most words of one kind, as "pull request" has two. */
export const KIND_WORDS_MAX = 2

/** Regular English forms of a noun beside itself: the singular of a plural and the plural of a singular. */
export function plural(word: string): string {
  if (word === 'person') return 'people'
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
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
