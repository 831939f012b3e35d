import type { SearchAnswer } from '@cairnstore/client'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { fromApi, t } from '../language/language.ts'
import { plain } from '../parts/plain.ts'
import { QueryView } from '../parts/states.tsx'
import type { QuestionTurn, ShownAnswer } from './conversation.ts'
import { QuestionInterpretation } from './question-interpretation.tsx'
import { useExplanation } from './use-explanation.ts'
import classes from './why-answer.module.css'

/** Number of considered statements that are shown initially. */
const SHOWN_FIRST = 8
const PERCENT = 100

type Explanation = Pick<SearchAnswer, 'considered' | 'threshold' | 'intent' | 'outcome'>

/** Shows how the question was interpreted, and the considered statements with their scores. */
export function WhyAnswer({ turn, answer }: { turn: QuestionTurn; answer: ShownAnswer }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const isKnown = answer.intent !== undefined && (answer.considered ?? []).length > 0
  const explanation = useExplanation(turn, isOpen && !isKnown)
  return (
    <details className={classes.why} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('Why this answer?')}</summary>
      {isOpen && (
        <div className={classes.body}>
          {answer.written_by && (
            <p>{t('The model wrote the answer from the records that these statements come from, and cites them.')}</p>
          )}
          {isKnown ? (
            <Explained of={answer} />
          ) : (
            <QueryView of={explanation}>{(it) => <Explained of={it} isLater />}</QueryView>
          )}
        </div>
      )}
    </details>
  )
}

function Explained({ of, isLater }: { of: Partial<Explanation>; isLater?: boolean }): ReactNode {
  const [isWhole, setWhole] = useState(false)
  const { considered = [], threshold, intent } = of
  const shown = isWhole ? considered : considered.slice(0, SHOWN_FIRST)
  return (
    <>
      {isLater && <p>{t('The question was asked again now, from the current records.')}</p>}
      {intent && <QuestionInterpretation intent={intent} />}
      {considered.length === 0 ? (
        <p>{t('No statements were compared: the answer is computed from fields, counts or relations.')}</p>
      ) : (
        <>
          <p>
            {t('Statements considered, with the probability that each answers the question.')}{' '}
            {threshold !== undefined &&
              t('The records count as an answer from {percent} for the whole question.', {
                percent: percent(threshold),
              })}
          </p>
          <ol className={classes.considered}>
            {shown.map(({ record_id: recordId, start, end, text, score, rank, chosen, reason }) => (
              <li key={rank} data-is-chosen={chosen}>
                <span className={classes.score}>
                  <meter value={score} max={1} aria-label={t('Score of statement {rank}', { rank })} /> {percent(score)}
                </span>
                <span className={classes.statement}>
                  <Link
                    to="/records/$recordId"
                    params={{ recordId }}
                    search={end > start ? { marks: `${start}-${end}` } : {}}
                  >
                    {plain(text)}
                  </Link>
                  <span className={classes.reason}>
                    {chosen ? t('In the answer') : t('Left out')}: {fromApi(plain(reason))}
                  </span>
                </span>
              </li>
            ))}
          </ol>
          {shown.length < considered.length && (
            <button type="button" className={classes.more} onClick={() => setWhole(true)}>
              {t('Show {more} more', { more: considered.length - shown.length })}
            </button>
          )}
        </>
      )}
    </>
  )
}

function percent(share: number): string {
  return `${Math.round(share * PERCENT)} %`
}
