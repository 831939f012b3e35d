import type { KnowledgeRecord } from '@cairnstore/client'
import type { ReactNode } from 'react'
import { t } from '../language/language.ts'
import { Details } from '../parts/details.tsx'
import { moment } from '../parts/format.ts'
import type { MarkedSpan } from '../parts/marked.ts'
import { MarkedText } from '../parts/marked-text.tsx'
import { nameOf } from '../parts/record-title.ts'
import { formatValue } from '../parts/words.ts'
import classes from './mail.module.css'
import { markedWithin } from './transcript.tsx'

/** Shows the sender and the recipients of a mail. */
export function MailHead({ record }: { record: KnowledgeRecord }): ReactNode {
  const { author, occurred_at: at, properties: { to, cc, files } = {} } = record
  return (
    <div className={classes.head}>
      <Details
        of={[
          [t('From'), author && formatValue(nameOf(author))],
          [t('To'), formatValue(to)],
          [t('Cc'), formatValue(cc)],
          [t('Sent'), at && moment(at)],
          [t('Attachments'), formatValue(files)],
        ]}
      />
    </div>
  )
}

/** Shows the text of a mail. Lines that quote an earlier mail are set apart. */
export function MailText({ text, marks }: { text: string; marks: readonly MarkedSpan[] }): ReactNode {
  return blocksOf(text).map(({ start, end, isQuoted }) => {
    const of = { pieces: markedWithin(text, start, end, marks), isCutBefore: false, isCutAfter: false }
    return isQuoted ? (
      <blockquote key={start} className={classes.quoted}>
        <MarkedText of={of} />
      </blockquote>
    ) : (
      <MarkedText key={start} of={of} />
    )
  })
}

/** Returns the quoted spans of a mail's text, and the spans between them. */
function blocksOf(text: string): { start: number; end: number; isQuoted: boolean }[] {
  const blocks: { start: number; end: number; isQuoted: boolean }[] = []
  for (const { 0: line, index } of text.matchAll(/[^\n]*(?:\n|$)/g)) {
    if (line === '') continue
    const isQuoted = line.startsWith('>')
    const last = blocks[blocks.length - 1]
    if (last && (last.isQuoted === isQuoted || line.trim() === '')) last.end = index + line.length
    else blocks.push({ start: index, end: index + line.length, isQuoted })
  }
  return blocks
}
