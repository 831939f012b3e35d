import { TOPICS, type Topic } from '../lexicon/asked.ts'
import { ONE_AT_A_TIME, ROLE } from '../lexicon/facts.ts'
import { ENGLISH_KINDS, KINDS } from '../lexicon/languages.ts'
import { splitCamelCase } from '../lexicon/work.ts'
import { withoutEnd } from './characters.ts'
import { normaliseName } from './names.ts'
import { termOf } from './stem.ts'
import { foldText } from './words.ts'

/** Maximum number of words of a type's noun, such as "pull request". */
export const TYPE_WORDS_MAX = 2

/** Returns true if an English word ends in a `y` that becomes `i` before a suffix. */
export function endsInConsonantY(word: string): boolean {
  return /[^aeiou]y$/.test(word)
}

/** Returns the regular English plural of a noun. */
export function plural(word: string): string {
  if (word === 'person') return 'people'
  if (endsInConsonantY(word)) return `${word.slice(0, -1)}ies`
  return /(s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`
}

/** Returns the singular of a regular English plural; undefined for another word. */
export function singular(word: string): string | undefined {
  const bases = [withoutEnd(word, 's'), withoutEnd(word, 'es'), `${withoutEnd(word, 'ies')}y`]
  return bases.find((base) => base.length > 1 && plural(base) === word)
}

/** Returns the English nouns for a type, in the singular: its synonyms, or the words of its name if it has none. */
export function nounsOfType(type: string): readonly string[] {
  const own = type.replaceAll('_', ' ')
  return ENGLISH_KINDS.find((nouns) => nouns.includes(own)) ?? [own]
}

/** Returns true for a type of records that tools have, such as `issue`, and false for the rows of a sheet. */
export function isKnownType(type: string): boolean {
  return ENGLISH_KINDS.some((nouns) => nouns.includes(type.replaceAll('_', ' ')))
}

/** Returns all words for the kind of a type, in all languages, or the words of its name if it has no synonyms. */
export function wordsOfType(type: string): readonly string[] {
  const [name = ''] = nounsOfType(type)
  return KINDS.get(name) ?? [name]
}

/** Types by noun, without accents but with capitals: "outage" → `incident`, `outage` and others. */
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

/** Returns the types with a noun, which has the form that `foldText` returns: without accents, but with capitals. */
export function typesNamedBy(words: string): readonly string[] {
  return TYPES.get(words) ?? []
}

export function typesOfTerm(term: string): readonly string[] {
  return TYPES_BY_TERM.get(term) ?? []
}

/** Returns the term of records that have a type or are declared to be about an entity of the type. No text has it. */
export function typeTerm(type: string): string {
  return `~type:${type}`
}

/** Returns the terms of records with this value of a declared field. No text has them. */
export function fieldTerms(field: string, value: string): string[] {
  const folded = normaliseName(value)
  const term = (text: string) => `~${field}:${text}`
  return field === 'due'
    ? [value.slice(0, 'YYYY-MM'.length), value.slice(0, 'YYYY-MM-DD'.length)].map(term)
    : [term(folded)]
}

/** Maximum length of a label. A longer heading is a title. */
export const LABEL_CHARS_MAX = 60

/** Returns the topics that a lower-case question asks for. */
export function topicsAsked(question: string): Topic[] {
  const asked = TOPICS.filter((each) => each.asks.test(question))
  return asked.flatMap(({ topic }) => (asked.some(({ inPlaceOf }) => inPlaceOf === topic) ? [] : [topic]))
}

/** Returns the topics of a section's label; empty for any other heading. */
export function topicsOf(label: string): Topic[] {
  if (label.length > LABEL_CHARS_MAX) return []
  return TOPICS.filter((each) => each.labels.test(label)).map(({ topic }) => topic)
}

/** Returns the label in bold at the beginning of a raw line, and the rest of the line. */
export function parseLeadIn(line: string): { label: string; rest: string } | undefined {
  if (line[0] !== '*' && line[0] !== '_') return undefined
  const found = /^(\*\*|__|\*|_)([^*_]{2,100}?)([.:?]?)\1([.:]?) +(?=\S)/.exec(line)
  if (!found || (found[3] === '' && found[4] === '')) return undefined
  return { label: `${found[2]!.trim()}${found[3] === '?' ? '?' : ''}`, rest: line.slice(found[0].length) }
}

/** Returns the known label at the beginning of a plain line, such as "Root cause: the index was dropped". */
export function plainLabel(line: string): string | undefined {
  const label = /^(\p{Lu}[\p{L} -]{1,30}):\s/u.exec(line)?.[1]
  return label !== undefined && topicsOf(label).length > 0 ? label : undefined
}

/** Returns a predicate as words: "worksAt" and "works_at" become "works at". */
export function predicateWords(predicate: string): string {
  return splitCamelCase(predicate.replace(/[_.:/-]+/g, ' '))
    .toLowerCase()
    .trim()
}

/**
 * Returns the end of a relation that has one value at a time: "leads" has one subject, "lives in" one object. Undefined
 * for predicates without such an end.
 */
export function changingEnd(predicate: string): 'subject' | 'object' | undefined {
  const words = predicateWords(predicate)
  if (ROLE.test(words)) return 'subject'
  return ONE_AT_A_TIME.test(words) ? 'object' : undefined
}
