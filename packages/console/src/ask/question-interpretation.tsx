import type { SearchAnswer } from '@cairnstore/client'
import type { ReactNode } from 'react'
import { day } from '../parts/format.ts'
import { plain } from '../parts/plain.ts'
import classes from './question-interpretation.module.css'

/** Shows how the question was interpreted: its parts, known names and time ranges. */
export function QuestionInterpretation({ intent }: { intent: NonNullable<SearchAnswer['intent']> }): ReactNode {
  const names = [...new Set(intent.parts.flatMap((part) => part.names))]
  const times = intent.times.map(({ from, until }) => `${from ? day(from) : '…'} to ${until ? day(until) : '…'}`)
  const lines: [string, string][] = [
    ['Asked for', intent.parts.map(({ kind, text }) => `${kind}: ${text}`).join('; ')],
    ['Known names', names.join(', ')],
    ['Times', times.join(', ')],
    ['Interpreted as', intent.notes.join(' ')],
  ]
  return (
    <section className={classes.understood}>
      <h3>How the question was interpreted</h3>
      <dl>
        {lines
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{plain(value)}</dd>
            </div>
          ))}
      </dl>
    </section>
  )
}
