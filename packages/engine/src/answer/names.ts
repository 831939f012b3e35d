import { isPersonType } from '../lexicon/work.ts'
import { bareTitle, plainLine } from '../text/clean-text.ts'
import { foldText } from '../text/words.ts'
import type { AskedWord } from '../understand/question.ts'
import type { BriefRecord } from './brief.ts'
import { recordKey } from './states.ts'

/** A name of the records that occurs in a question. */
export interface AskedName {
  name: number
  /** The words of the name. */
  words: string
  /** True if any of its words is capitalized in an occurrence. */
  isCapital: boolean
  /** True if the name is the subject of a verb in an occurrence. */
  isDoer: boolean
}

/** Index of the names in a set of records: titles, entities and aliases. */
export interface NameIndex {
  /** Returns the numbers of the names in a text. */
  find: (text: string) => number[]
  /** Returns the names among the words of a question, each once; at most the first hundred, as more are a list. */
  findAsked: (words: readonly AskedWord[]) => AskedName[]
  /** Returns the numbers of the names in a record's title: the key, and the title with and without its parenthesis. */
  titlesOf: (record: number) => number[]
  isPerson: (name: number) => boolean
  /** Returns the canonical id of the first entity that has the name. */
  entityOf: (name: number) => string | undefined
  /** Returns the names of a record: title, entities, aliases, author. */
  carriedBy: (record: number) => number[]
}

const NAME_WORDS_MAX = 8
/** Maximum number of names in a question. Callers search the whole text for each name, so the cost is quadratic. */
const NAMES_READ_MAX = 100

/** Returns the words of a text for name comparison: lower case, Unicode-normalized, without accents. */
export function nameWords(text: string): string[] {
  const folded = foldText(text).toLowerCase()
  return folded.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
}

/** Indexes the names of records by their first word. */
export function indexNames(records: readonly BriefRecord[]): NameIndex {
  const numbers = new Map<string, number>()
  const byFirst = new Map<string, { words: string[]; name: number }[]>()
  const persons = new Set<number>()
  const entities = new Map<number, string>()
  const titles: number[][] = []
  const carried = records.map((): number[] => [])
  const add = (text: string, record: number): number | undefined => {
    const words = nameWords(text)
    if (words.length === 0 || words.length > NAME_WORDS_MAX) return undefined
    const key = words.join(' ')
    let name = numbers.get(key)
    if (name === undefined) {
      name = numbers.size
      numbers.set(key, name)
      const first = byFirst.get(words[0]!) ?? []
      first.push({ words, name })
      byFirst.set(words[0]!, first)
    }
    carried[record]!.push(name)
    return name
  }
  records.forEach((record, at) => {
    const title = plainLine(record.title ?? '')
    const key = recordKey(record) ?? ''
    // A number by itself is not a name.
    const own = [bareTitle(title), title, ...(/\p{L}/u.test(key) ? [key] : [])]
    titles.push([...new Set(own.flatMap((text) => add(text, at) ?? []))])
    for (const entity of record.entities) {
      for (const text of [entity.name, ...(entity.aliases ?? [])]) {
        const name = add(text, at)
        if (name === undefined) continue
        if (!entities.has(name)) entities.set(name, entity.canonicalId)
        if (isPersonType(entity.type)) persons.add(name)
      }
    }
    const author = record.author ? add(record.author.name, at) : undefined
    if (author !== undefined) persons.add(author)
  })
  for (const list of byFirst.values()) list.sort((a, b) => b.words.length - a.words.length)
  return {
    find: (text) => [...new Set(findNames(nameWords(text), byFirst).map(({ name }) => name))],
    findAsked: (asked) => {
      const each = new Map<number, AskedName>()
      for (const found of findNames(asked.map(wordOf), byFirst)) {
        const { name, words, at, length } = found
        const own = asked.slice(at, at + length)
        const known = each.get(name)
        const isCapital = own.some((word) => word.isCapital) || known?.isCapital === true
        const isDoer = own[0]!.isAfterAuxiliary || known?.isDoer === true
        each.set(name, { name, words, isCapital, isDoer })
      }
      return [...each.values()].slice(0, NAMES_READ_MAX)
    },
    titlesOf: (record) => titles[record] ?? [],
    isPerson: (name) => persons.has(name),
    entityOf: (name) => entities.get(name),
    carriedBy: (record) => carried[record] ?? [],
  }
}

interface FoundName {
  name: number
  words: string
  /** Index of its first word. The next field is its number of words. */
  at: number
  length: number
}

const wordOf = ({ text }: AskedWord) => foldText(text)

function findNames(words: string[], byFirst: Map<string, { words: string[]; name: number }[]>): FoundName[] {
  const found: FoundName[] = []
  for (let at = 0; at < words.length; at++) {
    // The longest name wins, and its words are skipped.
    const longest = byFirst
      .get(words[at]!)
      ?.find((each) => each.words.every((word, offset) => words[at + offset] === word))
    if (!longest) continue
    const { words: own, name } = longest
    found.push({ name, words: own.join(' '), at, length: own.length })
    at += longest.words.length - 1
  }
  return found
}
