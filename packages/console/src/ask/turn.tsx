import { Badge, Loader } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { t } from '../language/language.ts'
import { moment, seconds } from '../parts/format.ts'
import { plain, plainLine } from '../parts/plain.ts'
import { ErrorMessage } from '../parts/states.tsx'
import { AnswerActions } from './answer-actions.tsx'
import { ComputedTable } from './computed-table.tsx'
import type { QuestionTurn, ShownAnswer } from './conversation.ts'
import { Evidence } from './evidence.tsx'
import { ClosestPassages, NoAnswer } from './no-answer.tsx'
import { Statements } from './statements.tsx'
import classes from './turn.module.css'
import { WhyAnswer } from './why-answer.tsx'

interface TurnProps {
  /** Position in the conversation, from 1. The question of the first turn is the title of the page. */
  number: number
  turn: QuestionTurn
  onAgain: () => void
}

/** Shows a question with its answer, or the part of it that has arrived so far. */
export function TurnView({ number, turn, onAgain }: TurnProps): ReactNode {
  const { question, streamed, answer, error } = turn
  return (
    <article className={classes.turn} aria-label={t('Question {number}', { number })}>
      {number > 1 && (
        <h2 className={classes.question} dir="auto">
          {plain(question)}
        </h2>
      )}
      {error !== undefined && <ErrorMessage error={error} again={onAgain} />}
      {!answer && error === undefined && (
        <p className={classes.streaming}>
          {plain(streamed)} <Loader size="xs" type="dots" role="img" aria-label={t('The answer is being written')} />
        </p>
      )}
      {answer && <Answered number={number} turn={turn} answer={answer} />}
    </article>
  )
}

interface AnsweredProps {
  number: number
  turn: QuestionTurn
  answer: ShownAnswer
}

function Answered({ number, turn, answer }: AnsweredProps): ReactNode {
  const statements = answer.statements ?? []
  const first = statements.findIndex(({ record_ids: ids }) => ids.length > 0)
  const [pinned, setPinned] = useState(first)
  const [pointed, setPointed] = useState<number>()
  const chosen = pointed ?? pinned
  const statement = answer.outcome === 'nothing' ? undefined : statements[chosen]
  const evidence = `evidence-${number}`
  const text = (
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
  )
  return (
    <div className={classes.answered} data-has-evidence={statement !== undefined} data-outcome={answer.outcome}>
      <div className={classes.answer}>
        {answer.outcome === 'answered' && text}
        {answer.outcome === 'closest' && <ClosestPassages answer={answer}>{text}</ClosestPassages>}
        {answer.outcome === 'nothing' && <NoAnswer turn={turn} answer={answer} />}
        <ComputedTable turn={turn} answer={answer} />
        {(answer.warnings ?? []).map((warning) => (
          <p key={warning} className={classes.warning}>
            {plain(warning)}
          </p>
        ))}
        <AnswerFacts answer={answer} />
        <AnswerActions turn={turn} answer={answer} />
        <WhyAnswer turn={turn} answer={answer} />
      </div>
      {statement && <Evidence id={evidence} turn={turn} statement={statement} records={answer.records ?? []} />}
    </div>
  )
}

/** Shows who wrote an answer, when, how long it took, and if it is shared. */
function AnswerFacts({ answer }: { answer: ShownAnswer }): ReactNode {
  const { written_by: model, created_at: at, execution_time_ms: ms, outcome, shared } = answer
  return (
    <p className={classes.facts}>
      <span>{writerOf(outcome, model)}</span>
      {at && <span>{moment(at)}</span>}
      {ms !== undefined && <span>{seconds(ms)}</span>}
      {shared && <Badge variant="light">{t('Shared with your account')}</Badge>}
    </p>
  )
}

/** Returns a sentence about who wrote an answer. */
function writerOf(outcome: ShownAnswer['outcome'], model: string | undefined): string {
  if (model)
    return t('Written by the model {model}, each statement checked against its records', { model: plainLine(model) })
  if (outcome === 'nothing') return t('Searched without a language model')
  return t('Quoted and computed from records, without a language model')
}
