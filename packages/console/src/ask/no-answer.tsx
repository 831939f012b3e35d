import type { RecordPointer, SearchAnswer } from '@cairnstore/client'
import { Link } from '@tanstack/react-router'
import { SearchX, TextSearch } from 'lucide-react'
import type { ReactNode } from 'react'
import { fromApi, t } from '../language/language.ts'
import { day } from '../parts/format.ts'
import { plain, plainLine } from '../parts/plain.ts'
import { typeName } from '../parts/words.ts'
import type { QuestionTurn, ShownAnswer } from './conversation.ts'
import classes from './no-answer.module.css'
import { useExplanation } from './use-explanation.ts'

/** Shows that the records do not answer the question, and the closest passages. */
export function ClosestPassages({ answer, children }: { answer: ShownAnswer; children: ReactNode }): ReactNode {
  return (
    <section className={classes.closest} aria-label={t('Closest passages')}>
      <p className={classes.label}>
        <TextSearch /> <strong>{t('Not answered.')}</strong> {t('These passages come closest:')}
      </p>
      {children}
      <Unread of={answer.unread} />
    </section>
  )
}

/** Shows that there is no answer, with unread files that may contain it and the closest records. */
export function NoAnswer({ turn, answer }: { turn: QuestionTurn; answer: ShownAnswer }): ReactNode {
  // A stored answer has only the records that it cites, so the others are searched again.
  const isStored = answer.intent === undefined
  const again = useExplanation(turn, isStored).data
  const { nearest = [], unread = [] } = isStored ? (again ?? {}) : answer
  return (
    <section className={classes.nothing} aria-label={t('No answer')}>
      <p className={classes.sentence}>
        <SearchX />
        <span>
          <strong>{t('No answer.')}</strong> {fromApi(plain(answer.answer))}
        </span>
      </p>
      <Unread of={unread} />
      <Nearest of={nearest} />
    </section>
  )
}

function Unread({ of: unread = [] }: { of: SearchAnswer['unread'] }): ReactNode {
  if (unread.length === 0) return null
  return (
    <>
      <h2>{t('Files that may contain the answer but could not be read')}</h2>
      <ul className={classes.unread}>
        {unread.map(({ path, reason }) => (
          <li key={path}>
            <bdi>{plainLine(path)}</bdi>: {typeName(reason)}
          </li>
        ))}
      </ul>
    </>
  )
}

function Nearest({ of: nearest }: { of: readonly RecordPointer[] }): ReactNode {
  if (nearest.length === 0) return null
  return (
    <>
      <h2>{t('The nearest records')}</h2>
      <ul className={classes.nearest}>
        {nearest.map(({ record_id: recordId, title, type, source_name: source, occurred_at: at }) => (
          <li key={recordId}>
            <Link to="/records/$recordId" params={{ recordId }} search={{}}>
              <bdi>{plainLine(title)}</bdi>
            </Link>
            <span>{[typeName(type), source && plainLine(source), at && day(at)].filter(Boolean).join(' · ')}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
