import { decodeText } from '../decode-text.ts'
import { type DocumentFile, type DocumentItem, partsOf } from '../document.ts'

/** A text that is spoken at one time of a recording. */
export interface Cue {
  /** Start time as `HH:MM:SS` from the beginning of the recording. */
  readonly offset: string
  /** Name of the speaker, if a voice tag has it. */
  readonly speaker?: string | undefined
  readonly text: string
}

const TIMING =
  /^(?:(\d{1,3}):)?([0-5]\d):([0-5]\d)[.,]\d{1,3}[ \t]+-->[ \t]+(?:\d{1,3}:)?[0-5]\d:[0-5]\d[.,]\d{1,3}(?:[ \t].*)?$/
/** Matches WebVTT blocks without speech: header, comments, styles, regions. */
const NON_CUE = /^(?:WEBVTT|NOTE|STYLE|REGION)(?:[ \t]|$)/
const VOICE = /<v(?:\.[^\s>]{0,100})?[ \t]([^<>]{1,200})>/
const TAG = /<\/?[^<>]{0,200}>|\{\\[^{}]{0,100}\}/g
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&nbsp;': ' ',
  '&lrm;': '',
  '&rlm;': '',
}
/** Maximum number of lines of a block in which its timing line is searched. */
const HEAD_LINES = 40

/** Returns true if a text is WebVTT or SubRip: it has a WebVTT header or begins with a timing line. */
export function isCaptions(text: string): boolean {
  if (/^\ufeff?WEBVTT(?:[ \t\n]|$)/.test(text)) return true
  const [first = '', second = ''] = text.trimStart().split('\n', 2)
  return (/^\d{1,6}\s*$/.test(first) && TIMING.test(second.trim())) || TIMING.test(first.trim())
}

/** Returns the cues of WebVTT or SubRip in order, without numbers, times and tags in their texts. */
export function cuesOf(text: string): Cue[] {
  return text.split(/\n[ \t]*\n/).flatMap((block) => {
    const lines = block.trim().split('\n')
    const at = lines.slice(0, HEAD_LINES).findIndex((line) => TIMING.test(line.trim()))
    if (at < 0 || (at > 0 && NON_CUE.test(lines[0]!) && !/^WEBVTT/.test(lines[0]!))) return []
    const [, hours = '0', minutes = '', seconds = ''] = TIMING.exec(lines[at]!.trim()) ?? []
    const offset = `${hours.padStart(2, '0')}:${minutes}:${seconds}`
    return splitVoices(lines.slice(at + 1).join('\n')).map((voice) => ({ offset, ...voice }))
  })
}

/** Returns the text of each voice in a cue. */
function splitVoices(payload: string): Omit<Cue, 'offset'>[] {
  return payload.split(/(?=<v[.\s])/).flatMap((segment) => {
    const speaker = VOICE.exec(segment)?.[1]?.trim()
    const text = segment
      .replace(TAG, '')
      .replace(/&[a-z]{2,4};/g, (entity) => ENTITIES[entity] ?? entity)
      .replace(/\s+/g, ' ')
      .trim()
    return text === '' ? [] : [{ text, ...(speaker && { speaker }) }]
  })
}

/** Reads captions as running text with their times as locators. A change of the speaker adds the new name. */
export async function* readCaptions({ bytes }: DocumentFile): AsyncGenerator<DocumentItem> {
  yield { kind: 'head', format: 'captions', within: [] }
  let last: string | undefined
  const units = cuesOf(decodeText(bytes)).map(({ offset, speaker, text }) => {
    const isNew = speaker !== undefined && speaker !== last
    last = speaker
    return { text: isNew ? `\n${speaker}: ${text}` : text, locator: offset }
  })
  yield* partsOf(units, '\n')
}
