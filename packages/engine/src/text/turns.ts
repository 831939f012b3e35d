import { pattern } from './pattern.ts'

/** A turn of a talk that is written down in one text. */
export interface TextTurn {
  /** Where its line begins. */
  readonly at: number
  /** Characters until the next turn begins. */
  readonly length: number
}

/** A line that begins with who speaks: "Ana: …", "**User:** …", "[10:32] Speaker 2: …", "Ana Lima (10:32): …". */
const SPOKEN = pattern(
  'iu',
  '^ {0,3}(?:[[(]?[\\d/., -]{0,14}\\d:\\d\\d(?::\\d\\d)?(?: ?[ap]m)?[\\])]?[ -]{1,3})?[*_]{0,2}',
  "(\\p{L}[\\p{L}\\p{N} .'’_-]{0,38})[*_]{0,2}(?: ?[[(][^\\])]{1,24}[\\])])?[*_]{0,2}:",
)
/** Characters of a line that are looked at for a speaker. */
const LABEL_CHARS_MAX = 100
/** People who speak again, without which a text is no talk. */
const SPEAKERS_MIN = 2
/** The share of a text over which somebody speaks who is part of the talk; labels of a list stand close together. */
const SPREAD_MIN = 1 / 3

/** The turns of a talk that is written down with who speaks at the beginning of lines; none of any other text. */
export function turnsOf(text: string): TextTurn[] {
  const spoken = labelsOf(text)
  const [first] = spoken
  if (first === undefined || text.slice(0, first.at).trim() !== '') return []
  const since = new Map<string, number>()
  const speakers = new Set<string>()
  for (const { at, label } of spoken) {
    if (!since.has(label)) since.set(label, at)
    else if (at - since.get(label)! >= text.length * SPREAD_MIN) speakers.add(label)
  }
  if (speakers.size < SPEAKERS_MIN) return []
  const turns = spoken.filter(({ label }) => speakers.has(label))
  return turns.map(({ at }, place) => ({ at, length: (turns[place + 1]?.at ?? text.length) - at }))
}

/** The lines that begin with a label, in small letters. */
function labelsOf(text: string): { at: number; label: string }[] {
  const found: { at: number; label: string }[] = []
  for (let at = 0; at < text.length; ) {
    const label = SPOKEN.exec(text.slice(at, at + LABEL_CHARS_MAX))?.[1]
    if (label !== undefined) found.push({ at, label: label.toLowerCase() })
    const end = text.indexOf('\n', at)
    at = end < 0 ? text.length : end + 1
  }
  return found
}
