import { anyOf } from '../lexicon/entries.ts'
import { QUESTION_WORDS } from '../lexicon/languages.ts'
import { pattern } from '../text/pattern.ts'

/** An event by which a question tells a time: "since the incident". */
export interface EventAsked {
  side: 'since' | 'after' | 'before' | 'during'
  /** What it is called there, without article. */
  name: string
  /** The words as they stand in the question. */
  said: string
}

/** Things that happen at a time, so that "after the depot" is not read as one. */
const HAPPENS = [
  'incident|outage|failure|breach|crash|bug|accident|launch|release|cut-?over|migration|meeting|deploy(?:ment)?',
  'roll-?out|handover|hand-?off|post-?mortem|merger?|rename|renaming|decision|announcement|kick-?off|demo|audit',
  'review|freeze|rehearsal|switch|upgrade|update|go-?live|election|war|treaty|move|change|revert|rollback|fix|start',
  'arrival|departure|delivery|workshop|retro(?:spective)?|offsite|interview|sprint|trial|test|fire|flood|strike',
  'death|birth|wedding|trip|visit',
].join('|')
const EVENT = pattern(
  'iu',
  '(?<![\\w-])(since|after|before|during) (?:the |our |their |that |this |last )?',
  `((?:[\\p{L}\\p{N}-]+ ){0,4}?(?:(?:${HAPPENS})s?|[\\p{L}]+-\\d+))(?![\\w-])`,
)
/** Words that end the name of an event before it is reached. */
const NOT_IN_NAME = new RegExp(`\\b(?:${anyOf(QUESTION_WORDS)}|did|does|was|were|is|are|has|have|and|or)\\b`, 'i')

/** The event by which a question tells a time, if it does. */
export function eventAsked(text: string): EventAsked | undefined {
  const found = EVENT.exec(text)
  const [said = '', side = '', name = ''] = found ?? []
  if (!found || NOT_IN_NAME.test(name)) return undefined
  return { side: side.toLowerCase() as EventAsked['side'], name, said }
}
