import type { ReactNode } from 'react'
import { type MarkedSpan, markedSegments } from '../parts/marked.ts'
import { MarkedText } from '../parts/marked-text.tsx'
import type { Place } from './mark-passages.ts'
import classes from './transcript.module.css'

interface TranscriptProps {
  text: string
  marks: readonly MarkedSpan[]
  /** Offsets in the text at which the times of the recording begin. */
  places: readonly Place[]
  shown?: MarkedSpan | undefined
}

/** Shows a transcript: each time of the recording with the words spoken then. */
export function Transcript({ text, marks, places, shown }: TranscriptProps): ReactNode {
  const turns = places
    .map(({ start, locator }, at) => ({ start, locator, end: places[at + 1]?.start ?? text.length }))
    .filter(({ start, end }) => !shown || (end > shown.start && start < shown.end))
  return (
    <ol className={classes.turns}>
      {turns.map(({ start, end, locator }) => (
        <li key={start}>
          <span className={classes.time}>{locator}</span>
          <MarkedText of={{ pieces: markedWithin(text, start, end, marks), isCutBefore: false, isCutAfter: false }} />
        </li>
      ))}
    </ol>
  )
}

/** Returns the segments of a part of a text, without leading and trailing white space. */
export function markedWithin(text: string, start: number, end: number, marks: readonly MarkedSpan[]) {
  const part = text.slice(start, end)
  const from = start + part.length - part.trimStart().length
  const spans = marks.filter((mark) => mark.end > from && mark.start < end)
  const moved = spans.map((mark) => ({ start: Math.max(0, mark.start - from), end: mark.end - from }))
  return markedSegments(part.trim(), moved)
}
