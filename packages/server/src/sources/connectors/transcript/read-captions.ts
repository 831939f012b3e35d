import { type Cue, cuesOf, isCaptions } from '../../../documents/formats/read-captions.ts'
import { dayIn, documentEntity, stemOf } from '../markdown/read-markdown.ts'
import type { MappedRecord } from '../to-record.ts'
import { turnRecord } from './read-transcript.ts'
import { isSpeaker, namesWithoutComma, SPEAKER, type Speaker, speakerOf } from './speaker.ts'

const PREFIXED = new RegExp(`^${SPEAKER}: +(\\S.*)$`, 'u')
/** Minimum fraction of cues with a name before a colon. Below it, the colons count as punctuation. */
const PREFIXED_SHARE_MIN = 0.3
/** Maximum number of characters in one turn. Longer speech is split into several turns. */
const TURN_CHARS_MAX = 4_000

/** Returns the messages of WebVTT or SubRip captions with speakers and times; undefined for any other text. */
export function captionRecords(content: string, path: string, scope: string): MappedRecord[] | undefined {
  if (!isCaptions(content)) return undefined
  const turns = turnsOf(withSpeakers(cuesOf(content)))
  if (!turns.some(({ speaker }) => speaker)) return undefined
  const stem = stemOf(path)
  const chat = documentEntity(path, scope, stem, [stem])
  const occurredAt = dayIn(stem)
  return turns.map((turn, at) => turnRecord({ path, number: at + 1, chat, occurredAt, ...turn }))
}

interface SpokenCue {
  speaker: Speaker | undefined
  text: string
  offset: string
}

/** Adds speakers to cues: from voice tags, or else from names before a colon if enough cues have one. */
function withSpeakers(cues: readonly Cue[]): SpokenCue[] {
  const matches = cues.map(({ text }) => PREFIXED.exec(text) ?? [])
  const names = namesWithoutComma([...cues.map(({ speaker }) => speaker), ...matches.map(([, written]) => written)])
  const prefixed = matches.map(([, written, spoken]) => {
    const speaker = written === undefined ? undefined : speakerOf(written, names)
    return speaker && isSpeaker(speaker) && /^\p{Lu}|^\p{Lo}/u.test(speaker.name)
      ? { speaker, text: spoken! }
      : undefined
  })
  const hasVoices = cues.some(({ speaker }) => speaker)
  const areNames = !hasVoices && prefixed.filter(Boolean).length >= cues.length * PREFIXED_SHARE_MIN
  return cues.map(({ speaker, text, offset }, at) => ({
    speaker: speaker === undefined ? undefined : speakerOf(speaker, names),
    text,
    ...(areNames && prefixed[at]),
    offset,
  }))
}

/** Merges consecutive cues of one speaker into turns. A cue without a speaker continues an unfinished sentence. */
function turnsOf(cues: readonly SpokenCue[]): SpokenCue[] {
  const turns: SpokenCue[] = []
  for (const cue of cues) {
    const last = turns.at(-1)
    const isSame = last?.speaker?.name === cue.speaker?.name
    const isContinuation = cue.speaker === undefined && last !== undefined && !/[.!?…。！？]["”’)]?$/.test(last.text)
    const fits = last !== undefined && last.text.length + cue.text.length < TURN_CHARS_MAX
    if (last && fits && (isSame || isContinuation)) last.text += ` ${cue.text}`
    else turns.push({ ...cue })
  }
  return turns
}
