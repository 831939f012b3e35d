import type { Evaluation, EvaluationResult } from '@cairnstore/client'
import { Checkbox, NativeSelect } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { firstPage } from '../app/first-page.ts'
import { useCairn, useSession } from '../app/session.ts'
import { useFound } from '../app/use-found.ts'
import { t } from '../language/language.ts'
import { DeleteButton } from '../parts/delete-button.tsx'
import { count, moment } from '../parts/format.ts'
import { Fields, Page } from '../parts/page.tsx'
import { plain, plainLine } from '../parts/plain.ts'
import { QueryView } from '../parts/states.tsx'
import { labelOf } from '../parts/words.ts'
import classes from './evaluations.module.css'
import { gradeLabel, isRunning, rightShare, settingsLine } from './grades.tsx'
import { QuestionResult } from './question-result.tsx'

const POLL_MS = 2_000
const COMPARED_MAX = 20

const FROM = '/evaluations/$evaluationId'

/** Shows an evaluation: its grades, each question with its answer, and the differences to another evaluation. */
export function EvaluationPage(): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const { evaluationId } = useParams({ from: FROM })
  const { against } = useSearch({ from: FROM })
  const evaluation = useFound<Evaluation>(
    ['evaluation', evaluationId],
    (client, id) => client.getEvaluation({ sandbox_id: id, evaluation_id: evaluationId }),
    { everyMs: (run) => (run && isRunning(run) ? POLL_MS : false) },
  )
  const other = useQuery({
    queryKey: [sandboxId, 'evaluation', against],
    queryFn: () => cairn.getEvaluation({ evaluation_id: against! }),
    enabled: against !== undefined && evaluation.data !== undefined,
  })
  return (
    <QueryView of={evaluation}>
      {(run) => <EvaluationShown key={evaluationId} run={run} other={against === undefined ? undefined : other.data} />}
    </QueryView>
  )
}

function EvaluationShown({ run, other }: { run: Evaluation; other: Evaluation | undefined }): ReactNode {
  const [isDifferent, setDifferent] = useState(false)
  const pairs = run.results.map((result) => ({ result, before: other && sameQuestion(result, other) }))
  const different = pairs.filter(({ result, before }) => before && before.grade !== result.grade)
  const shown = other && isDifferent ? different : pairs
  const done = run.asked + run.erased
  return (
    <Page
      title={t('Evaluation of {when}', { when: moment(run.created_at) })}
      about={[
        settingsLine(run),
        isRunning(run) && t('{done} of {n} question asked|{done} of {n} questions asked', { done, n: run.questions }),
      ]
        .filter(Boolean)
        .join('. ')}
      beside={<DeleteEvaluation evaluationId={run.evaluation_id} />}
    >
      {run.error_message && <p role="status">{plain(run.error_message)}</p>}
      <Counts run={run} other={other} />
      <Fields>
        <CompareWith run={run} against={other?.evaluation_id} />
        {other && (
          <Checkbox
            label={t('Only the {different} with another grade', { different: different.length })}
            checked={isDifferent}
            onChange={({ currentTarget }) => setDifferent(currentTarget.checked)}
          />
        )}
      </Fields>
      <ol className={classes.results} aria-label={t('Questions')}>
        {shown.map(({ result, before }) => (
          <QuestionResult key={result.position} result={result} before={before} settings={run.settings} />
        ))}
      </ol>
    </Page>
  )
}

/**
 * Returns the result of the same question in another evaluation. If the question occurs twice, the position decides.
 */
function sameQuestion({ question, position }: EvaluationResult, { results }: Evaluation): EvaluationResult | undefined {
  const same = results.filter((result) => result.question === question)
  return same.find((result) => result.position === position) ?? same[0]
}

const COUNTED = ['right', 'partly', 'wrong', 'rightly_unanswered', 'wrongly_unanswered', 'ungraded'] as const

/** Shows the number of answers by grade, in this evaluation and in the one that it is compared with. */
function Counts({ run, other }: { run: Evaluation; other: Evaluation | undefined }): ReactNode {
  const rows = COUNTED.filter((grade) => run.counts[grade] > 0 || (other?.counts[grade] ?? 0) > 0)
  return (
    <table className={classes.counts} aria-label={t('Grades')}>
      <thead>
        <tr>
          <th scope="col">{t('Grade')}</th>
          <th scope="col">{t('This run')}</th>
          {other && <th scope="col">{moment(other.created_at)}</th>}
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">{t('Right among the graded')}</th>
          <td>{rightShare(run)}</td>
          {other && <td>{rightShare(other)}</td>}
        </tr>
        {rows.map((grade) => (
          <tr key={grade}>
            <th scope="row">{labelOf(gradeLabel(grade))}</th>
            <td>{count(run.counts[grade])}</td>
            {other && <td>{count(other.counts[grade])}</td>}
          </tr>
        ))}
        <tr>
          <th scope="row">{t('Unsupported statements')}</th>
          <td>{t('{part} of {whole}', { part: run.unsupported, whole: run.statements })}</td>
          {other && <td>{t('{part} of {whole}', { part: other.unsupported, whole: other.statements })}</td>}
        </tr>
      </tbody>
    </table>
  )
}

function CompareWith({ run, against }: { run: Evaluation; against: string | undefined }): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const navigate = useNavigate()
  const listed = useQuery({
    queryKey: [sandboxId, 'evaluations', 'compared'],
    queryFn: () => firstPage(cairn.listEvaluations({ limit: COMPARED_MAX })),
  })
  const others = (listed.data?.evaluations ?? []).filter(({ evaluation_id: id }) => id !== run.evaluation_id)
  if (others.length === 0) return null
  const compare = (id: string) =>
    void navigate({
      to: FROM,
      params: { evaluationId: run.evaluation_id },
      search: id ? { against: id } : {},
      replace: true,
    })
  return (
    <NativeSelect
      label={t('Compare with')}
      value={against ?? ''}
      onChange={({ currentTarget }) => compare(currentTarget.value)}
      data={[
        { value: '', label: t('No other run') },
        ...others.map((each) => ({
          value: each.evaluation_id,
          label: plainLine(
            `${moment(each.created_at)}: ${t('{share} right', { share: rightShare(each) })}, ${settingsLine(each)}`,
          ),
        })),
      ]}
    />
  )
}

function DeleteEvaluation({ evaluationId }: { evaluationId: string }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const navigate = useNavigate()
  const { sandboxId } = useSession()
  const deleteEvaluation = async () => {
    await cairn.deleteEvaluation({ evaluation_id: evaluationId })
    await navigate({ to: '/evaluations' })
    known.removeQueries({ queryKey: [sandboxId, 'evaluation', evaluationId] })
    await known.invalidateQueries({ queryKey: [sandboxId, 'evaluations'] })
  }
  return (
    <DeleteButton variant="default" onDelete={deleteEvaluation}>
      {t('Delete this run')}
    </DeleteButton>
  )
}
