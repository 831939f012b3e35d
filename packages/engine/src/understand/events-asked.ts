import { anyOf } from '../lexicon/entries.ts'
import { anyIn, HAPPENINGS, MISHAPS, QUESTION_WORDS } from '../lexicon/languages.ts'
import { pattern } from '../text/words.ts'

/** How a time lies to the event that tells it. */
const SIDES = ['since', 'after', 'before', 'during'] as const

/** An event by which a question tells a time: "since the incident". */
export interface EventAsked {
  side: (typeof SIDES)[number]
  /** What it is called there, without article. */
  name: string
  /** The words as they stand in the question. */
  said: string
  /** Whether it is spoken of only once it has happened, so that the first record of it is nearest to it. */
  isUnplanned: boolean
}

const DETERMINED = `(?:${anyIn('determiners')} )`
const WORDS_BEFORE = '(?:[\\p{L}\\p{N}-]+ ){0,4}?'
/** "After the depot" may be a place, so what comes after, before or in something has to be known to happen. */
const HAPPENING = pattern(
  'iu',
  `(?<![\\w-])(${SIDES.join('|')}) ${DETERMINED}{0,2}`,
  `(${WORDS_BEFORE}(?:${anyOf(HAPPENINGS)}s?|[\\p{L}]+-\\d+)(?: of (?:the )?[\\p{L}\\p{N}-]+)?)(?![\\w-])`,
)
/** What something is since is a time, whatever it is called, where it ends there. */
const SINCE = pattern(
  'iu',
  `(?<![\\w-])(${SIDES[0]}) ${DETERMINED}{1,2}(${WORDS_BEFORE}[\\p{L}\\p{N}-]+)`,
  `(?=\\s*(?:[?!.,;:]|$)|\\s+(?:${anyIn('coordinators')}|${anyOf(QUESTION_WORDS)})(?!\\p{L}))`,
)
/** Words that end the name of an event before it is reached, and what no record tells, as the start "of the year". */
const NOT_IN_NAME = new RegExp(`\\b${anyIn('questionWords', 'endsEventNames')}\\b`, 'i')
const UNPLANNED = new RegExp(`${anyOf(MISHAPS)}|\\d$`, 'i')

/** The event by which a question tells a time, if it does. */
export function eventAsked(text: string): EventAsked | undefined {
  for (const expected of [HAPPENING, SINCE]) {
    const [said, side = '', name = ''] = expected.exec(text) ?? []
    if (said === undefined || NOT_IN_NAME.test(name)) continue
    return { side: side.toLowerCase() as EventAsked['side'], name, said, isUnplanned: UNPLANNED.test(name) }
  }
  return undefined
}
