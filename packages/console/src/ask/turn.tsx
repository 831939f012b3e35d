import type { SearchAnswer } from '@cairnstore/client'
import { Loader } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { seconds } from '../parts/format.ts'
import { plain } from '../parts/plain.ts'
import { ErrorMessage } from '../parts/states.tsx'
import { ComputedTable } from './computed-table.tsx'
import type { QuestionTurn } from './conversation.ts'
import { CopyQuestion } from './copy-question.tsx'
import { Evidence } from './evidence.tsx'
import { NoAnswer } from './no-answer.tsx'
import { QuestionInterpretation } from './question-interpretation.tsx'
import { Statements } from './statements.tsx'
import classes from './turn.module.css'

/** Shows a question with its answer, or the part of it that has arrived so far. */
export function TurnView({ turn, onAgain }: { turn: QuestionTurn; onAgain: () => void }): ReactNode {
  const { question, streamed, answer, error } = turn
  return (
    <article className={classes.turn} aria-label={`Question ${turn.id}`}>
      <h2 className={classes.question} dir="auto">
        {plain(question)}
      </h2>
      {error !== undefined && <ErrorMessage error={error} again={onAgain} />}
      {!answer && error === undefined && (
        <p className={classes.streaming}>
          {plain(streamed)} <Loader size="xs" type="dots" aria-label="The answer is being written" component="span" />
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
          <NoAnswer answer={answer} />
        )}
        {answer.rows && answer.rows.length > 0 && <ComputedTable answer={answer} />}
        {answer.warnings.map((warning) => (
          <p key={warning} className={classes.warning}>
            {plain(warning)}
          </p>
        ))}
        <div className={classes.foot}>
          <span>{seconds(answer.execution_time_ms)}</span>
          <CopyQuestion turn={turn} />
          <QuestionInterpretation answer={answer} />
        </div>
      </div>
      {statement && answer.answered && (
        <Evidence id={evidence} turn={turn} statement={statement} records={answer.records ?? []} />
      )}
    </div>
  )
}
