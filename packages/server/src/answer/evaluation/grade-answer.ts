import type { AnswerOutcome, EvaluationQuestion, Grade } from '@cairnstore/contract'
import { foldText, monthNumber, numberOf, terms } from '@cairnstore/engine/text'
import { numbersIn } from '../written/claim-check.ts'

/** The fields of an answer that determine its grade. */
export interface GradedAnswer {
  readonly outcome: AnswerOutcome
  readonly answer: string
  readonly cited: readonly string[]
}

/** Minimum share of the expected words for the grade `partly`. */
const PARTLY_MIN = 0.5
const ARTICLES: ReadonlySet<string> = new Set([
  ...[
    'a',
    'an',
    'the',
    'der',
    'die',
    'das',
    'den',
    'dem',
    'des',
    'ein',
    'eine',
    'einen',
    'einem',
    'einer',
    'de',
    'het',
  ],
  ...['le', 'la', 'les', 'l', 'un', 'une', 'el', 'los', 'las', 'una', 'uno', 'il', 'lo', 'gli', 'i', 'een'],
])
const DENIALS: ReadonlySet<string> = new Set([
  ...['no', 'not', 'never', 'none', 'nobody', 'nothing', 'without', 'cannot', 'nicht', 'kein', 'keine', 'nie', 'ohne'],
  ...['non', 'ne', 'pas', 'jamais', 'sans', 'nunca', 'sin', 'niet', 'geen'],
])
const ACCENTS = /\p{M}+/gu
const WORDS = /\p{L}+/gu
/** Symbols and the words that replace them for the comparison. */
const SYMBOLS: readonly (readonly [RegExp, string])[] = [
  [/€|\beuros?\b/gi, ' eur '],
  [/\$|\bdollars?\b/gi, ' usd '],
  [/£|\bpounds?\b/gi, ' gbp '],
  [/%|\bper ?cent\b|\bprozent\b/gi, ' percent '],
]
const DECIMAL_COMMA = /(?<=\d),(?=\d{1,2}(?!\d))/g
const ISO_DAY = /(?<![\d-])(\d{4})-(\d\d)-(\d\d)(?!\d)/g
/** Matches a date in the form D.M.YYYY. */
const POINTED_DAY = /(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)/g
const DAY_FIRST =
  /(?<!\d)(\d{1,2})(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?(\p{L}{3,12})\.?(?:,?\s+(?:de\s+)?(\d{4}))?(?!\p{L})/gu
const MONTH_FIRST = /(?<!\p{L})(\p{L}{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?!\d)(?:,?\s+(\d{4}))?(?!\d)/gu
/** Matches units and suffixes of a number. */
const NUMBER_ENDS = /(?<=\d)\s?(?:k|m|bn|thousand|million|billion|[ap]\.?m\.?)(?!\p{L})/giu
const DAYS_MAX = 31

export function expectedRecords({ record }: Pick<EvaluationQuestion, 'record'>): string[] {
  return [...new Set((record ?? '').split(/[\s,;]+/).filter((id) => id !== ''))]
}

/**
 * Grades an answer without a model. It is right if it contains all words, numbers and dates of the expected answer or
 * of one alternative, and partly right if it contains half of them. Case, accents, articles, endings and common number
 * and date formats do not matter. If there is no expected answer, the expected records must be cited. If neither is
 * given, the answer is not graded.
 */
export function gradeAnswer(question: EvaluationQuestion, { outcome, answer, cited }: GradedAnswer): Grade {
  if (question.unanswerable) return outcome === 'answered' ? 'wrong' : 'rightly_unanswered'
  const alternatives = (question.expected ?? '').split('|').filter((each) => /[\p{L}\p{N}]/u.test(each))
  const records = expectedRecords(question)
  if (alternatives.length === 0 && records.length === 0) return 'ungraded'
  if (outcome !== 'answered') return 'wrongly_unanswered'
  const shares =
    alternatives.length > 0
      ? sharesIn(answer, alternatives)
      : [records.filter((id) => cited.includes(id)).length / records.length]
  const best = Math.max(...shares)
  if (best === 1) return 'right'
  return alternatives.length > 0 ? (best >= PARTLY_MIN ? 'partly' : 'wrong') : best > 0 ? 'partly' : 'wrong'
}

function sharesIn(answer: string, alternatives: readonly string[]): number[] {
  const given = new Set(marksOf(answer).flatMap(({ forms }) => forms))
  return alternatives.map((alternative) => {
    const wanted = marksOf(alternative)
    return wanted.filter(({ matches }) => matches.some((mark) => given.has(mark))).length / Math.max(1, wanted.length)
  })
}

/** A word, number or date of a text. It matches another one if any of its `matches` is among the other's `forms`. */
interface MarkedTerm {
  readonly forms: readonly string[]
  readonly matches: readonly string[]
}

/** Returns the words, numbers and dates of a text. */
function marksOf(text: string): MarkedTerm[] {
  const marks: MarkedTerm[] = []
  const add = (mark: string) => marks.push({ forms: [mark], matches: [mark] })
  const addDay = (year: number | undefined, month: number, day: number) => {
    const [any, yearless, full] = [`day ${month}/${day}`, `no year ${month}/${day}`, `${year}/${month}/${day}`]
    // A date without a year matches a date with one. Dates in different years do not match.
    if (year === undefined) marks.push({ forms: [any, yearless], matches: [any] })
    else marks.push({ forms: [any, full], matches: [full, yearless] })
  }
  let rest = SYMBOLS.reduce((so, [symbol, word]) => so.replace(symbol, word), text).replace(DECIMAL_COMMA, '.')
  rest = rest.replace(ISO_DAY, (_, year, month, day) => {
    addDay(Number(year), Number(month), Number(day))
    return ' '
  })
  rest = rest.replace(POINTED_DAY, (_, day, month, year) => {
    addDay(Number(year), Number(month), Number(day))
    return ' '
  })
  const named = (whole: string, name: string, day: string, year: string | undefined) => {
    const month = monthNumber(name)
    if (month === undefined || Number(day) === 0 || Number(day) > DAYS_MAX) return whole
    addDay(year === undefined ? undefined : Number(year), month, Number(day))
    return ' '
  }
  rest = rest.replace(DAY_FIRST, (whole, day, name, year) => named(whole, name, day, year))
  rest = rest.replace(MONTH_FIRST, (whole, name, day, year) => named(whole, name, day, year))
  for (const number of numbersIn(rest)) add(number)
  const words =
    foldText(rest.replace(NUMBER_ENDS, ' ')).normalize('NFKD').replace(ACCENTS, '').toLowerCase().match(WORDS) ?? []
  const functionWords: string[] = []
  for (const word of new Set(words)) {
    if (ARTICLES.has(word) || numberOf(word) > 1) continue
    const [term] = terms(word)
    if (term !== undefined || DENIALS.has(word)) add(term ?? word)
    else functionWords.push(word)
  }
  // Function words count only if the text has no other words, as in "mine".
  if (marks.length === 0) functionWords.forEach(add)
  return marks
}
