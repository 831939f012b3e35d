import { DATED, DATED_BETWEEN, DATED_NOUNS } from '../lexicon/facts.ts'
import { isCommonWord } from '../lexicon/names.ts'
import type { Token } from '../mentions/tokens.ts'
import { civilOf, MS_PER_DAY } from '../text/civil-date.ts'
import { STATEMENT_END } from '../text/sentences.ts'
import { type Days, findDates, type NamedDate } from '../understand/named-dates.ts'
import { DOUBT } from './doubt.ts'
import { nameAt } from './objects.ts'
import { type Place, type Saying, type Stated, type Subject, stands } from './subjects.ts'

/** Characters in which a day may stand, and before it: "the". */
const DAY_CHARS_MAX = 40
const ARTICLE_CHARS_MAX = 4
/** Words between the noun and its phrase: "has now been". */
const BETWEEN_MAX = 3
const THE: ReadonlySet<string> = new Set(['the', 'our'])

/** The day that a noun at a token has moved to or is set for, and of what: "the Harbour launch moved to 17 August". */
export function datedAt(place: Place, at: number, { today, isAboutKnown = false }: Saying): Stated | undefined {
  const { tokens } = place
  const predicate = DATED_NOUNS.get(tokens[at]!.lower)
  if (predicate === undefined || today === undefined) return undefined
  const owner = ownerOf(place, at, isAboutKnown)
  if (!owner) return undefined
  for (let verb = owner.behind; verb < tokens.length && verb - owner.behind <= BETWEEN_MAX; verb += 1) {
    if (tokens[verb]!.gap !== 'space') return undefined
    const day = dayBehind(place, verb, today)
    if (day) return { subject: owner.subject, predicate, from: owner.from, ...day, mayBe: DOUBT.later }
    if (!DATED_BETWEEN.has(tokens[verb]!.lower)) return undefined
  }
  return undefined
}

/** Whose launch stands at a token: a name before it or behind "of", or the one thing that all of the text is about. */
function ownerOf(place: Place, at: number, isAboutKnown: boolean) {
  const { tokens, ending } = place
  const before = at > 0 && tokens[at]!.gap === 'space' ? tokens[at - 1] : undefined
  const mention = before && ending.get(before.to)
  if (mention) {
    if (mention.type === 'person') return undefined
    let from = at - 1
    while (from > 0 && tokens[from]!.from > mention.start) from -= 1
    return { subject: named(mention.name), from, behind: at + 1 }
  }
  if (before && isNameHere(before)) {
    return { subject: named(before.text), from: at - 1, behind: at + 1 }
  }
  if (tokens[at + 1]?.lower === 'of') {
    const found = nameAt(place, at + 2) ?? nameAt(place, at + 3)
    if (!found || found.mention.type === 'person') return undefined
    return { subject: named(found.mention.name), from: at, behind: found.to }
  }
  const about: Subject = { kind: 'about' }
  return isAboutKnown && before && THE.has(before.lower) ? { subject: about, from: at - 1, behind: at + 1 } : undefined
}

/** Behind "The" at the start of a sentence a capital is no sign of a name; before a launch it is one. */
function isNameHere({ gap, isPossessive, shape, lower, isCode }: Token): boolean {
  return (gap === 'space' || isPossessive) && shape === 'capital' && !isCode && !isCommonWord(lower)
}

function named(name: string): Subject {
  return { kind: 'named', name }
}

/** The day behind a phrase that stands at a token. */
function dayBehind({ tokens, text }: Place, at: number, today: number) {
  for (const { words } of DATED.get(tokens[at]!.lower) ?? []) {
    const first = tokens[at + words.length]
    if (first?.gap !== 'space' || !stands(tokens, at, words)) continue
    const behind = text.slice(first.from, first.from + DAY_CHARS_MAX).split(STATEMENT_END)[0]!
    const [date] = findDates(behind, today)
    if (!date || date.index > ARTICLE_CHARS_MAX || date.isStretch !== words.includes('from')) continue
    const day = nearestDay(date, today)
    if (day === undefined) continue
    return {
      object: new Date(day * MS_PER_DAY).toISOString().slice(0, 10),
      to: at + 1,
      end: first.from + date.index + date.length,
    }
  }
  return undefined
}

/** The last day of a date, in the year in which it is nearest where none is said; undefined for a longer time. */
function nearestDay({ year, inYear, isStretch }: NamedDate, today: number): number | undefined {
  const now = civilOf(today).year
  const years = year === undefined ? [now - 1, now, now + 1] : [year]
  const dayOf = ([from, to]: Days) => (from === to || isStretch ? to : undefined)
  const days = years.flatMap((each) => dayOf(inYear(each)) ?? [])
  return days.sort((one, other) => Math.abs(one - today) - Math.abs(other - today))[0]
}
