import type { SearchAnswer } from '@cairnstore/client'
import type { ReactNode } from 'react'
import { fromApi, t } from '../language/language.ts'
import { day } from '../parts/format.ts'
import { plain } from '../parts/plain.ts'
import classes from './question-interpretation.module.css'

/** Shows how the question was interpreted: its parts, known names and time ranges. */
export function QuestionInterpretation({ intent }: { intent: NonNullable<SearchAnswer['intent']> }): ReactNode {
  const names = [...new Set(intent.parts.flatMap((part) => part.names))]
  const times = intent.times.map(({ from, until }) =>
    t('{from} to {until}', { from: from ? day(from) : '…', until: until ? day(until) : '…' }),
  )
  const lines: [string, string][] = [
    [t('Asked for'), intent.parts.map(({ kind, text }) => `${fromApi(kind)}: ${text}`).join('; ')],
    [t('Known names'), names.join(', ')],
    [t('Times'), times.join(', ')],
    [t('Interpreted as'), intent.notes.join(' ')],
  ]
  return (
    <section className={classes.understood}>
      <h2>{t('How the question was interpreted')}</h2>
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
