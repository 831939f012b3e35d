import type { SearchAnswer } from '@cairnstore/client'
import type { MouseEvent, ReactNode } from 'react'
import { plain } from '../parts/plain.ts'
import { segmentsOf } from './segments.ts'
import classes from './statements.module.css'

interface StatementsProps {
  /** Selector of the element that shows the records, such as `#evidence-1`. */
  evidence: string
  answer: string
  statements: NonNullable<SearchAnswer['statements']>
  chosen: number
  /** Called with the statement under the pointer, or with undefined if there is none. */
  onPoint: (index: number | undefined) => void
  onChoose: (index: number) => void
}

/** Shows the answer with underlined statements. Hovering over a statement or focusing it shows its records. */
export function Statements({ evidence, answer, statements, chosen, onPoint, onChoose }: StatementsProps): ReactNode {
  const choose = (index: number) => (event: MouseEvent) => {
    event.preventDefault()
    onChoose(index)
    document.querySelector(evidence)?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <p className={classes.answer} dir="auto">
      {segmentsOf(answer, statements).map(({ text, statement }, at) =>
        statement === null ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the segments of an answer keep their order
          <span key={at}>{plain(text)}</span>
        ) : (
          <a
            // biome-ignore lint/suspicious/noArrayIndexKey: the segments of an answer keep their order
            key={at}
            href={evidence}
            className={classes.statement}
            aria-current={statement === chosen ? 'true' : undefined}
            onClick={choose(statement)}
            onFocus={() => onChoose(statement)}
            onMouseEnter={() => onPoint(statement)}
            onMouseLeave={() => onPoint(undefined)}
          >
            {plain(text)}
          </a>
        ),
      )}
    </p>
  )
}
