import type { EvaluationResult, EvaluationSettings } from '@cairnstore/client'
import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useCairn, useSession } from '../app/session.ts'
import { askFirst } from '../ask/conversation.ts'
import { t } from '../language/language.ts'
import { Details } from '../parts/details.tsx'
import { seconds } from '../parts/format.ts'
import { plain, plainLine } from '../parts/plain.ts'
import classes from './evaluations.module.css'
import { GradeBadge, gradeLabel } from './grades.tsx'

/** Number of cited records that are linked. */
const CITED_MAX = 10

interface QuestionResultProps {
  result: EvaluationResult
  /** Result of the same question in the evaluation that is compared. */
  before: EvaluationResult | undefined
  settings: EvaluationSettings
}

/** Shows a question of an evaluation with its grade. Its details are the answer and the expected answer. */
export function QuestionResult({ result, before, settings }: QuestionResultProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const isChanged = before !== undefined && before.grade !== result.grade
  return (
    <li data-is-changed={isChanged}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span className={classes.question}>
            <bdi>{plainLine(result.question)}</bdi>
          </span>
          {isChanged && <span className={classes.before}>{gradeLabel(before.grade)} →</span>}
          <GradeBadge of={result.grade} />
        </summary>
        {isOpen && <Opened result={result} before={before} settings={settings} />}
      </details>
    </li>
  )
}

function Opened({ result, before, settings }: QuestionResultProps): ReactNode {
  const { expected, answer, unanswerable, cited = [], missing_records: missing = [], unsupported = [] } = result
  return (
    <div className={classes.opened}>
      <Details
        of={[
          [t('Expected'), expected && plain(expected)],
          [t('Unanswerable'), unanswerable ? t('yes') : undefined],
          [t('Answer'), answer && <span className={classes.answer}>{plain(answer)}</span>],
          [
            t('Answer before'),
            before && before.answer !== answer && <span className={classes.answer}>{plain(before.answer ?? '–')}</span>,
          ],
          [t('Cites'), cited.length > 0 && <RecordLinks ids={cited} />],
          [t('Does not cite'), missing.length > 0 && <RecordLinks ids={missing} />],
          [t('Unsupported'), unsupported.length > 0 && plain(unsupported.join(' '))],
          [t('Warnings'), (result.warnings ?? []).length > 0 && plain(result.warnings!.join(' '))],
          [t('Took'), result.duration_ms !== undefined && seconds(result.duration_ms)],
        ]}
      />
      <AskAgain question={result.question} settings={settings} />
    </div>
  )
}

function RecordLinks({ ids }: { ids: readonly string[] }): ReactNode {
  return (
    <>
      {ids.slice(0, CITED_MAX).map((recordId, at) => (
        <span key={recordId}>
          <Link to="/records/$recordId" params={{ recordId }} search={{}}>
            {t('record {number}', { number: at + 1 })}
          </Link>{' '}
        </span>
      ))}
      {ids.length > CITED_MAX && t('and {more} more', { more: ids.length - CITED_MAX })}
    </>
  )
}

/** Shows a button that asks the question again on the first page, with the settings of the evaluation. */
function AskAgain({ question, settings }: { question: string; settings: EvaluationSettings }): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const navigate = useNavigate()
  const { reference_date, project_id: projectId } = settings
  const ask = () => {
    askFirst(cairn, sandboxId, question, {
      ...(reference_date && { reference_date }),
      ...(projectId && { project_id: projectId }),
    })
    void navigate({ to: '/' })
  }
  return (
    <Button variant="default" size="compact-sm" onClick={ask}>
      {t('Ask it now')}
    </Button>
  )
}
