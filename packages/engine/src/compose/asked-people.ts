import { anyOf } from '../lexicon/entries.ts'
import { SPEAKER } from '../lexicon/languages.ts'
import { pattern } from '../text/pattern.ts'
import type { Question } from '../understand/question.ts'
import type { Candidate, Material } from './candidates.ts'
import type { NameIndex } from './names.ts'

const SAYS = pattern(
  'iu',
  '(?<!\\p{L})(?:say|says|said|wr(?:ite|ites|ote|itten)|tell|tells|told|report(?:s|ed)?|ask(?:s|ed)?|complain\\w*|',
  'propos\\w*|suggest\\w*|mention\\w*|announc\\w*|think|thinks|thought|promis\\w*|object(?:s|ed)?|comment\\w*|',
  'post(?:s|ed)?|commit\\w*|ship(?:s|ped)?|merged?|review(?:s|ed)?|sagt\\w*|gesagt|schrieb\\w*|geschrieben|gefragt|',
  'gemeldet|dit|écrit|demandé|dijo|escrib\\w+|disse)(?!\\p{L})',
)
const FIRST_PERSON = new RegExp(`(?<![\\p{L}\\p{N}'’])(?:${anyOf(SPEAKER)}|My|mine)(?![\\p{L}\\p{N}])`, 'u')

const AUXILIARY = '(?<!\\p{L})(?:did|do|does|has|have|had|is|was|will|would|should|hat|hatte|ist|war|wird|a|est|ha)\\s+'

/** Whether a question asks what somebody said, which is told by what that person wrote. */
export function asksSaying({ text }: Question): boolean {
  return SAYS.test(text)
}

/** Who the question asks about as doing something: "what did Priya say", "when does Jon leave". */
export function askedDoers(question: Question, names: NameIndex): ReadonlySet<string> {
  const doers = names.findWords(question.text).flatMap(({ name, words }) => {
    const does = new RegExp(`${AUXILIARY}${words.replaceAll(' ', '\\P{L}+')}(?!\\p{L})`, 'iu')
    return (names.isPerson(name) && does.test(question.text) && names.entityOf(name)) || []
  })
  return new Set(doers)
}

/** The entity that a sentence speaks of as "I", or whose doings are asked for. */
export function speaker(
  { record, text, source }: Candidate,
  { records }: Material,
  doers: ReadonlySet<string>,
): string | undefined {
  const author = records[record]!.author?.canonicalId
  if (source !== 'sentence' || author === undefined) return undefined
  return doers.has(author) || FIRST_PERSON.test(text) ? author : undefined
}
