/** A speaker in a transcript: a name and an optional role after it. */
export interface Speaker {
  readonly name: string
  readonly role?: string | undefined
}

const NAME = "\\p{L}[\\p{L}\\p{M}\\p{N} .'’_-]{0,38}?"
const BRACKETED = '\\s*[([][^()[\\]\\n]{1,60}[)\\]]'
const BEHIND_DASH = '\\s+[-–—|/·•]\\s+[^:()[\\]\\n]{1,60}?'
/** A speaker before a colon: "Ana Lima", "Ana Lima (Host)", "Ana Lima - Captain", "Ana Lima, Captain". */
export const SPEAKER = `(${NAME}(?:(?:${BRACKETED}){1,2}|${BEHIND_DASH}|, [^:()[\\]\\n]{1,60}?(?:${BRACKETED})?)?)`
/** A speaker before a time. A comma is not allowed, because it would separate the name from the time. */
export const SPEAKER_AND_TIME = `(${NAME}(?:(?:${BRACKETED}){1,2}|${BEHIND_DASH})?)`

const IN_BRACKETS = /\s*[([]([^()[\]]{1,60})[)\]]/g
const PARTED = /^(.+?)(?:\s+[-–—|/·•]\s+|,\s+)(.+)$/u
/** Maximum number of words in a role. Longer text counts as a sentence. */
const ROLE_WORDS_MAX = 5

/**
 * Splits a name from its role: "Ana Lima (Host)", "Ana Lima - Captain". "Lima, Ana" is Ana Lima, but "Bo, Captain" is
 * the captain Bo if the transcript also names a speaker Bo.
 * @param names the speakers that the transcript writes without a comma
 */
export function speakerOf(written: string, names: ReadonlySet<string>): Speaker {
  const brackets = [...written.matchAll(IN_BRACKETS)].map(([, inside]) => inside!.trim())
  const bare = written.replace(IN_BRACKETS, '').trim()
  const [, before, behind] = PARTED.exec(bare) ?? []
  if (before === undefined || behind === undefined) return { name: bare, role: brackets[0] }
  const isOneWord = bare.startsWith(`${before},`) && !/\s/.test(before)
  const isInverted = isOneWord && wordsOf(behind) <= 2 && !names.has(before)
  if (isInverted) return { name: `${behind} ${before}`, role: brackets[0] }
  return { name: before, role: behind }
}

/** Returns the names among the speakers of a transcript, as written, that have no comma. */
export function namesWithoutComma(speakers: readonly (string | undefined)[]): ReadonlySet<string> {
  const written = speakers.filter((each) => each !== undefined && !each.includes(','))
  return new Set(written.map((each) => speakerOf(each!, new Set()).name))
}

/** Returns true for a plausible speaker: it has a name, and its role is short. */
export function isSpeaker({ name, role = '' }: Speaker): boolean {
  return name !== '' && wordsOf(role) <= ROLE_WORDS_MAX
}

function wordsOf(text: string): number {
  return text.split(/\s+/).filter(Boolean).length
}
