import type { KnowledgeRecord } from '@cairnstore/client'
import { lazy, type ReactNode, type RefObject, Suspense, useEffect, useMemo } from 'react'
import { excerptOf, type MarkedSpan } from '../parts/marked.ts'
import { MarkedText } from '../parts/marked-text.tsx'
import { plain } from '../parts/plain.ts'
import { Loading } from '../parts/states.tsx'
import { MailText } from './mail.tsx'
import classes from './record-body.module.css'
import { type TextKind, textKindOf } from './text-kind.ts'
import { partOf } from './text-part.ts'
import { Transcript } from './transcript.tsx'

const RichText = lazy(async () => ({ default: (await import('./rich-text.tsx')).RichText }))

interface RecordBodyProps {
  record: KnowledgeRecord
  marks: readonly MarkedSpan[]
  /** Maximum number of characters that are shown. */
  charsMax: number
  /** Number of characters to show before and after the passages. If omitted, the whole text is shown. */
  around?: number
  /** True to show the text exactly as it is stored. */
  isPlain?: boolean
  /** The element that is scrolled to show the first passage. */
  scrolled: RefObject<HTMLElement | null>
}

/** Renders a record's text by its kind, highlights the passages and scrolls to the first one. */
export function RecordBody({ record, marks, charsMax, around, isPlain, scrolled }: RecordBodyProps): ReactNode {
  const { text: whole, locators } = record
  const written = JSON.stringify(marks)
  const kind = isPlain ? 'plain' : textKindOf(record)
  const part = useMemo(
    () => partOf({ text: whole ?? '', marks: JSON.parse(written), places: locators ?? [] }, charsMax, around),
    [whole, locators, written, charsMax, around],
  )
  return (
    <Suspense fallback={<Loading lines={3} />}>
      <TextOf kind={kind} part={part} isExcerpt={around !== undefined} around={around ?? charsMax} />
      <ScrollToPassage within={scrolled} isPage={around === undefined} key={`${kind} ${part.from}`} />
    </Suspense>
  )
}

interface TextOfProps {
  kind: TextKind
  part: ReturnType<typeof partOf>
  isExcerpt: boolean
  around: number
}

function TextOf({ kind, part, isExcerpt, around }: TextOfProps): ReactNode {
  const { text, marks, places, shown } = part
  if (kind === 'markdown') {
    return (
      <RichText
        text={text}
        marks={marks}
        shown={shown}
        places={isExcerpt ? undefined : places}
        hasHeadings={!isExcerpt}
      />
    )
  }
  if (kind === 'transcript') return <Transcript text={text} marks={marks} places={places} shown={shown} />
  if (kind === 'mail' && !isExcerpt) return <MailText text={text} marks={marks} />
  const excerpt = excerptOf(text, marks, isExcerpt ? around : text.length, isExcerpt ? EXCERPT_CHARS : text.length)
  if (kind !== 'code') return <MarkedText of={excerpt} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard
    <pre className={classes.code} tabIndex={0}>
      {excerpt.pieces.map(({ text: piece, isMarked }, at) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the segments of a text keep their order
        isMarked ? <mark key={at}>{plain(piece)}</mark> : <span key={at}>{plain(piece)}</span>,
      )}
    </pre>
  )
}

/** Maximum length of an excerpt that is shown as plain text. */
const EXCERPT_CHARS = 900
/** Pixels above a passage that is scrolled into view. */
const ABOVE_PX = 48

/** Scrolls to the first passage once the text is shown. In a card it scrolls only the card, otherwise the page. */
function ScrollToPassage({ within, isPage }: { within: RefObject<HTMLElement | null>; isPage: boolean }): ReactNode {
  useEffect(() => {
    const container = within.current
    const mark = container?.querySelector<HTMLElement>('mark')
    if (!container || !mark) return
    if (isPage) void mark.scrollIntoView({ block: 'center' })
    else {
      const below = mark.getBoundingClientRect().top - container.getBoundingClientRect().top
      container.scrollTop += Math.max(0, below - ABOVE_PX)
    }
  }, [within, isPage])
  return null
}
