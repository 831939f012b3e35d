import type { SearchAnswer } from '@cairnstore/client'
import { Loader } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { plain } from '../parts/plain.ts'
import { Failed } from '../parts/states.tsx'
import { seconds } from '../parts/when.ts'
import { ComputedTable } from './computed-table.tsx'
import type { QuestionTurn } from './conversation.ts'
import { Evidence } from './evidence.tsx'
import { Refusal } from './refusal.tsx'
import { Statements } from './statements.tsx'
import { TakeAlong } from './take-along.tsx'
import classes from './turn.module.css'
import { Understood } from './understood.tsx'

/** Shows a question with its answer, or the part of it that has arrived so far. */
export function TurnShown({ turn, onAgain }: { turn: QuestionTurn; onAgain: () => void }): ReactNode {
  const { question, told, answer, error } = turn
  return (
    <article className={classes.turn} aria-label={`Question ${turn.id}`}>
      <h2 className={classes.question} dir="auto">
        {plain(question)}
      </h2>
      {error !== undefined && <Failed error={error} again={onAgain} />}
      {!answer && error === undefined && (
        <p className={classes.streaming}>
          {plain(told)} <Loader size="xs" type="dots" aria-label="The answer is being written" component="span" />
        </p>
      )}
      {answer && <Answered turn={turn} answer={answer} />}
    </article>
  )
}

function Answered({ turn, answer }: { turn: QuestionTurn; answer: SearchAnswer }): ReactNode {
  const statements = answer.statements ?? []
  const first = statements.findIndex(({ record_ids: ids }) => ids.length > 0)
  const [pinned, setPinned] = useState(first)
  const [pointed, setPointed] = useState<number>()
  const chosen = pointed ?? pinned
  const statement = statements[chosen]
  const evidence = `evidence-${turn.id}`
  return (
    <div className={classes.answered} data-has-evidence={statement !== undefined}>
      <div className={classes.answer}>
        {answer.answered ? (
          <Statements
            evidence={`#${evidence}`}
            answer={answer.answer}
            statements={statements}
            chosen={chosen}
            onPoint={setPointed}
            onChoose={(index) => {
              setPinned(index)
              setPointed(undefined)
            }}
          />
        ) : (
          <Refusal answer={answer} />
        )}
        {answer.rows && answer.rows.length > 0 && <ComputedTable answer={answer} />}
        {answer.warnings.map((warning) => (
          <p key={warning} className={classes.warning}>
            {plain(warning)}
          </p>
        ))}
        <div className={classes.foot}>
          <span>{seconds(answer.execution_time_ms)}</span>
          <TakeAlong turn={turn} />
          <Understood answer={answer} />
        </div>
      </div>
      {statement && answer.answered && (
        <Evidence id={evidence} turn={turn} statement={statement} records={answer.records ?? []} />
      )}
    </div>
  )
}
