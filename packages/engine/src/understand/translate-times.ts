import { anyOf, entriesOf } from '../lexicon/entries.ts'
import { type Idea, LANGUAGES, MONTH_NAMES, WEEKDAYS } from '../lexicon/languages.ts'

/** A time expression in another language. */
export interface TranslatedTime {
  /** Offset in the question. */
  from: number
  to: number
  /** English translation. */
  english: string
}

/** Slots of a phrase: a number, a calendar unit and a date. */
const SLOTS = ['n', 'unit', 'date'] as const
type Slot = (typeof SLOTS)[number]

/** A time phrase in one language, and the English phrase with the same slots. */
interface Phrase {
  /** Patterns for the words around the slots. They are a cheap pre-filter, as few texts contain all of them. */
  parts: readonly RegExp[]
  /** Returns the complete pattern. It is compiled on first use, because compiling all takes a tenth of a second. */
  expected: () => RegExp
  /** Slot of each capture group, in order. */
  slots: readonly Slot[]
  english: string
  toEnglish: Readonly<Record<Slot, (text: string) => string>>
}

/** Maximum length in characters. A longer text is not a question with a time phrase. */
const QUESTION_CHARS_MAX = 1_000
const DAY = '\\d{1,2}(?:er|\\.|º)?'
const YEAR = '(?:1[5-9]|20)\\d\\d'
/**
 * Matches a date in digits with the day first, as is usual in all of these languages. The year is required, because two
 * numbers may be a version.
 */
const FIGURES = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/
const SLOT = new RegExp(`\\{(${SLOTS.join('|')})\\}`, 'g')

const PHRASES: readonly Phrase[] = LANGUAGES.flatMap(readPhrases)

function readPhrases(language: (typeof LANGUAGES)[number]): Phrase[] {
  const phrases = entriesOf(language.timePhrases).filter(Boolean)
  if (phrases.length === 0) return []
  const months = entriesOf(language.months).map((spellings) => spellings.toLowerCase().split('/'))
  const units = pairsOf(language, 'timeUnits')
  const numbers = pairsOf(language, 'timeNumbers')
  const days = entriesOf(language.dayNames)
  const links = entriesOf(language.dateLinks).filter(Boolean)
  const link = links.length > 0 ? `(?: ${anyOf(links)})? ` : ' '
  const month = `${anyOf(...months)}\\b`
  const date = [
    `\\d{4}-\\d\\d-\\d\\d`,
    `\\d{1,2}[./-]\\d{1,2}[./-]\\d{4}`,
    `(?:${DAY}${link})?${month}(?:${link}${YEAR})?`,
    anyOf(days),
    YEAR,
  ].join('|')
  const sources: Record<Slot, string> = {
    n: `(\\d{1,3}|${anyOf(numbers.map(([said]) => said))})`,
    unit: `(${anyOf(units.map(([said]) => said))})`,
    date: `(?:${anyOf(entriesOf(language.dateArticles))} )?(${date})`,
  }
  const toEnglish = {
    n: (text: string) => named(numbers, text) ?? text,
    unit: (text: string) => named(units, text) ?? text,
    date: (text: string) => dateInEnglish(text, { months, days, links }),
  }
  return phrases.map((phrase) => {
    const [said = '', english = ''] = phrase.split(' = ')
    const cut = said.split(SLOT)
    const slots = cut.filter((_, at) => at % 2 === 1) as Slot[]
    const written = cut.filter((_, at) => at % 2 === 0).map((part) => anyOf([part]))
    const source = written.map((part, at) => (at === 0 ? part : sources[slots[at - 1]!] + part)).join('')
    let compiled: RegExp | undefined
    return {
      parts: written.map((part, at) => new RegExp(at === 0 ? `(?<![a-z\\d])${part}` : part)),
      expected: () => (compiled ??= new RegExp(`(?<![\\p{L}\\p{N}])${source}(?![\\p{L}\\p{N}])`, 'gu')),
      slots,
      english,
      toEnglish,
    }
  })
}

/** Splits each entry, such as `wochen?/week`, into a pattern and its English meaning. */
function pairsOf(language: (typeof LANGUAGES)[number], idea: Idea): [said: string, means: string][] {
  return entriesOf(language[idea]).map((pair) => pair.split('/') as [string, string])
}

function named(pairs: readonly [string, string][], text: string): string | undefined {
  return pairs.find(([said]) => new RegExp(`^${anyOf([said])}$`, 'u').test(text))?.[1]
}

/** Words that occur in dates of a language. */
interface DateWords {
  months: readonly (readonly string[])[]
  days: readonly string[]
  links: readonly string[]
}

function dateInEnglish(text: string, { months, days, links }: DateWords): string {
  const [, day, month, year] = FIGURES.exec(text) ?? []
  if (month !== undefined) return [day, MONTH_NAMES[Number(month) - 1] ?? '', year].join(' ')
  const weekday = days.findIndex((name) => new RegExp(`^${anyOf([name])}$`, 'u').test(text))
  if (weekday >= 0) return WEEKDAYS[weekday]!
  const words = text.split(' ').map((word) => {
    const at = months.findIndex((spellings) => spellings.includes(word))
    return at >= 0 ? MONTH_NAMES[at]! : word.replace(/^(\d{1,2})\D+$/, '$1')
  })
  return words.filter((word) => !links.includes(word)).join(' ')
}

/**
 * Finds time expressions in languages other than English, from left to right, with English translations. Equal
 * expressions of two languages count once. Texts of more than 1 000 characters are not searched.
 */
export function translateTimes(query: string): TranslatedTime[] {
  const text = query.toLowerCase()
  if (query.length > QUESTION_CHARS_MAX || text.length !== query.length) return []
  const found: TranslatedTime[] = []
  for (const { parts, expected, slots, english, toEnglish } of PHRASES) {
    if (!parts.every((part) => part.test(text))) continue
    for (const each of text.matchAll(expected())) {
      const [from, to] = [each.index, each.index + each[0].length]
      if (found.some((other) => from < other.to && other.from < to && other.to - other.from >= to - from)) continue
      const filled = slots.map((slot, at) => [slot, toEnglish[slot](each[at + 1] ?? '')] as const)
      const others = found.filter((other) => to <= other.from || other.to <= from)
      found.splice(0, found.length, ...others, { from, to, english: fill(english, filled) })
    }
  }
  return found.sort((one, other) => one.from - other.from)
}

/** Fills the slots of a phrase. Equal slots are filled in order. */
function fill(english: string, filled: readonly (readonly [Slot, string])[]): string {
  const left = [...filled]
  return english.replace(SLOT, (_, slot: Slot) => {
    const at = left.findIndex(([name]) => name === slot)
    return at < 0 ? '' : left.splice(at, 1)[0]![1]
  })
}
