import { type Cue, cuesOf, isCaptions } from '../../../documents/formats/read-captions.ts'
import type { MappedRecord } from '../draft.ts'
import { dayIn, documentThing, stemOf } from '../markdown/read-markdown.ts'
import { turnRecord } from './read-transcript.ts'
import { isSpeaker, SPEAKER, type Speaker, speakerOf } from './speaker.ts'

const PREFIXED = new RegExp(`^${SPEAKER}: +(\\S.*)$`, 'u')
/** Cues that name their speaker before a colon: fewer are sentences with a colon. */
const PREFIXED_SHARE_MIN = 0.3
/** Characters of one turn; somebody who speaks longer has several. */
const TURN_CHARS_MAX = 4_000

/** The messages of WebVTT or SubRip that say who speaks, with their times; undefined for any other text. */
export function captionRecords(content: string, path: string, scope: string): MappedRecord[] | undefined {
  if (!isCaptions(content)) return undefined
  const turns = turnsOf(withSpeakers(cuesOf(content)))
  if (!turns.some(({ speaker }) => speaker)) return undefined
  const stem = stemOf(path)
  const chat = documentThing(path, scope, stem, [stem])
  const occurredAt = dayIn(stem)
  return turns.map((turn, at) => turnRecord({ path, number: at + 1, chat, occurredAt, ...turn }))
}

interface Said {
  speaker: Speaker | undefined
  text: string
  offset: string
}

/** Cues with who speaks: by their voice tags, else by names before a colon, where enough cues have one. */
function withSpeakers(cues: readonly Cue[]): Said[] {
  const prefixed = cues.map(({ text }) => {
    const [, written, said] = PREFIXED.exec(text) ?? []
    const speaker = written === undefined ? undefined : speakerOf(written)
    return speaker && isSpeaker(speaker) && /^\p{Lu}|^\p{Lo}/u.test(speaker.name) ? { speaker, text: said! } : undefined
  })
  const hasVoices = cues.some(({ speaker }) => speaker)
  const areNames = !hasVoices && prefixed.filter(Boolean).length >= cues.length * PREFIXED_SHARE_MIN
  return cues.map(({ speaker, text, offset }, at) => ({
    speaker: speaker === undefined ? undefined : speakerOf(speaker),
    text,
    ...(areNames && prefixed[at]),
    offset,
  }))
}

/** Cues of one speaker in a row as one turn; a cue of nobody goes on with a sentence that did not end. */
function turnsOf(cues: readonly Said[]): Said[] {
  const turns: Said[] = []
  for (const cue of cues) {
    const last = turns.at(-1)
    const isSame = last?.speaker?.name === cue.speaker?.name
    const goesOn = cue.speaker === undefined && last !== undefined && !/[.!?…。！？]["”’)]?$/.test(last.text)
    const fits = last !== undefined && last.text.length + cue.text.length < TURN_CHARS_MAX
    if (last && fits && (isSame || goesOn)) last.text += ` ${cue.text}`
    else turns.push({ ...cue })
  }
  return turns
}
