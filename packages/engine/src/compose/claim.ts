import { anyOf } from '../lexicon/entries.ts'
import { anyIn, MONTH_NAMES, WEEKDAYS } from '../lexicon/languages.ts'
import { bareTitle, plainLine } from '../text/clean-text.ts'
import type { BriefRecord } from './brief.ts'
import type { Candidate, Material } from './candidates.ts'
import { nameWords } from './names.ts'
import { isMessage } from './states.ts'
import { CHANGE_CUE, LEANS_BACK } from './traits.ts'
import { labelsOf, type Value, valuesOf } from './values.ts'

/** A sentence as it is held against others: what it speaks of and what it says of that. */
export interface Claim {
  candidate: Candidate
  /** Its terms without those of its values. */
  topic: ReadonlySet<string>
  values: Value[]
  labels: Set<string>
  /** Whether it tells a change, or tells a state or a plan, which can be overtaken. */
  cue: boolean
  plan: boolean
  words: string[]
  /** The terms of its document's title. */
  titled: ReadonlySet<string>
  /** The title of its document, and the same when the sentence speaks of that. */
  title: string | undefined
  subject: string | undefined
}

// Sentences that give a state or a plan can be overtaken; a report of a past event stays true.
const STATE_OR_PLAN = new RegExp(`\\b${anyIn('stateOrPlan')}\\b`, 'i')
/** Reads a sentence to hold it against others. */
export function readClaim(candidate: Candidate, { records, termsOf }: Material): Claim {
  const record = records[candidate.record]!
  const values = valuesOf(candidate.text)
  let topic = candidate.matter
  if (values.length > 0) {
    const told = new Set(values.flatMap((value) => termsOf(value.text)))
    topic = new Set([...candidate.matter].filter((term) => !told.has(term)))
  }
  return {
    candidate,
    topic,
    values,
    labels: labelsOf(candidate.text),
    cue: CHANGE_CUE.test(candidate.text),
    plan: STATE_OR_PLAN.test(candidate.text),
    words: candidate.text.match(/[\p{L}\p{M}\p{N}'’-]+/gu) ?? [],
    titled: new Set(isMessage(record) ? [] : termsOf(bareTitle(plainLine(record.title ?? '')))),
    title: isMessage(record) ? undefined : record.title,
    subject: subjectOf(candidate, record),
  }
}

// "Sean Patrick McNamara" under the title "Sean McNamara": so many words may stand inside a name.
const WITHIN_TITLE_MAX = 3

/** Whether a sentence opens with the words of a title, others between them or not. */
function opensWith(text: string, title: readonly string[]): boolean {
  const [first, ...others] = nameWords(text).slice(0, title.length + WITHIN_TITLE_MAX)
  if (first === undefined || first !== title[0]) return false
  let met = 1
  for (const word of others) if (word === title[met]) met += 1
  return met === title.length
}

/** What a document's sentence speaks of when it opens with the document's title or a word that stands for it. */
function subjectOf({ text }: Candidate, record: BriefRecord): string | undefined {
  if (record.title === undefined || isMessage(record)) return undefined
  const title = nameWords(bareTitle(plainLine(record.title)))
  return LEANS_BACK.test(text) || opensWith(text, title) ? title.join(' ') : undefined
}

const CALENDAR = new RegExp(`^${anyOf(WEEKDAYS, MONTH_NAMES)}$`, 'i')

/** Its names, in small letters: words with capitals behind the first, but for days and months. */
export function properNames({ words }: Claim): Set<string> {
  const names = new Set<string>()
  words.forEach((word, at) => {
    if (at > 0 && /^\p{Lu}/u.test(word) && word.length > 1 && !CALENDAR.test(word)) names.add(word.toLowerCase())
  })
  return names
}
