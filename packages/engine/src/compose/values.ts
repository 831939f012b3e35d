import { anyOf } from '../lexicon/entries.ts'
import { anyIn, MONTH, WEEKDAYS } from '../lexicon/languages.ts'
import { pattern } from '../text/words.ts'

/** A value that a sentence gives: the thing that changes when a statement is corrected. */
export interface Value {
  kind: 'date' | 'time' | 'weekday' | 'amount' | 'number' | 'percent' | 'version'
  /** For comparison. */
  key: string
  /** As it is written. */
  text: string
  /** The word counted or measured, where there is one. */
  unit?: string
}

const ORDINAL = `${anyIn('ordinalEndings')}?`
const UNIT = '(?: ?(?:ms|s|min|h|GB|MB|TB|kB|km|kg|k|m)\\b)?'
const CURRENCY = anyIn('currencies')
const MAGNITUDE = anyIn('magnitudes')
const PATTERN = pattern(
  'g',
  `(?<date>\\d{1,2}${ORDINAL}\\.? (?:of )?${MONTH}(?:,? \\d{4})?`,
  `|${MONTH}\\.? \\d{1,2}${ORDINAL}(?:,? \\d{4})?\\b|\\d{4}-\\d{2}-\\d{2}|${MONTH} \\d{4}|Q[1-4](?: \\d{4})?)`,
  '|(?<time>\\b\\d{1,2}:\\d{2}(?::\\d{2})?\\b)',
  `|(?<weekday>\\b${anyOf(WEEKDAYS)}\\b)`,
  '|(?<version>\\bv?\\d+\\.\\d+\\.\\d+[\\w.-]*|\\bv\\d+(?:\\.\\d+)*)',
  `|(?<percent>\\d+(?:[.,]\\d+)? ?(?:%|${anyIn('percents')}))`,
  `|(?<amount>[$€£¥] ?\\d[\\d.,]*(?: ?(?:k|m|bn|${MAGNITUDE})\\b)?`,
  `|\\b\\d[\\d., \u202f]*\\d? ?(?:k|${MAGNITUDE})? ?${CURRENCY}\\b)`,
  `|(?<number>(?<![\\w#.:-])\\d[\\d,.]*(?: \\d{3})*(?![\\w-])${UNIT})`,
)
const BEHIND_DAY = new RegExp(`(\\d)${anyIn('ordinalEndings')}\\b`)
const MONTH_HEAD_CHARS = 3

/** The dates, amounts and numbers of a sentence, in order. */
export function valuesOf(text: string): Value[] {
  const values: Value[] = []
  for (const found of text.matchAll(PATTERN)) {
    const [kind, raw] = Object.entries(found.groups!).find(([, value]) => value !== undefined) as [
      Value['kind'],
      string,
    ]
    const shown = raw.trim().replace(/[.,]+$/, '')
    const value: Value = { kind, key: keyOf(kind, shown), text: shown }
    if (kind === 'number') {
      const unit = /^\s*(\p{L}[\p{L}-]*)/u.exec(text.slice(found.index + raw.length))?.[1]
      if (unit) value.unit = unit.toLowerCase().replace(/s$/, '')
    }
    values.push(value)
  }
  return values
}

function keyOf(kind: Value['kind'], text: string): string {
  const lower = text.toLowerCase()
  if (kind === 'date') {
    const month = /[a-z]{3,}/
      .exec(lower.replace(BEHIND_DAY, '$1').replace(/\bof\b/, ''))?.[0]
      .slice(0, MONTH_HEAD_CHARS)
    const numbers = (lower.match(/\d+/g) ?? []).map(Number)
    const day = numbers.find((number) => number <= 31) ?? ''
    return month ? `${month} ${day}` : lower
  }
  return lower.replace(/[\s,\u202f]/g, '').replace(/^v(?=\d)/, '')
}

const NUMBERED = anyIn('numberedNouns').replaceAll(/\b\w/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
// Keys are written in capitals: "utf-8" and "mid-2026" name nothing.
const LABEL = pattern('gu', `#\\d+|\\b\\p{Lu}[\\p{Lu}\\d]+-\\d+\\b|\\b(?:${NUMBERED}) #?\\d+[\\w.]*`)

/** Numbers that name a thing ("invoice 12", "#7", "NOR-142"), which tell two subjects apart. */
export function labelsOf(text: string): Set<string> {
  return new Set(text.match(LABEL)?.map((label) => label.toLowerCase()))
}
