import type { ReactNode } from 'react'
import type { Excerpt } from './marked.ts'
import classes from './marked-text.module.css'
import { plain } from './plain.ts'

/** Shows untrusted text verbatim, with its passages highlighted. */
export function MarkedText({ of }: { of: Excerpt }): ReactNode {
  return (
    <p className={classes.text} dir="auto">
      {of.isCutBefore && '… '}
      {of.pieces.map(({ text, isMarked }, at) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the segments of a text keep their order
        isMarked ? <mark key={at}>{plain(text)}</mark> : <span key={at}>{plain(text)}</span>,
      )}
      {of.isCutAfter && ' …'}
    </p>
  )
}
