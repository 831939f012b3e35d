import type { EvaluationPage as Listed } from '@cairnstore/client'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useCairn } from '../app/session.ts'
import { useRows } from '../app/use-rows.ts'
import { t } from '../language/language.ts'
import { count, moment } from '../parts/format.ts'
import { Page, Sheet } from '../parts/page.tsx'
import { type Column, RowsTable } from '../parts/rows-table.tsx'
import { EmptyState, QueryView } from '../parts/states.tsx'
import { isRunning, rightShare, settingsLine } from './grades.tsx'
import { NewEvaluation } from './new-evaluation.tsx'

type EvaluationRow = Listed['evaluations'][number]

const AT_ONCE = 50
const POLL_MS = 3_000

const COLUMNS: readonly Column<EvaluationRow>[] = [
  {
    name: t('Run'),
    value: ({ created_at: at }) => at,
    shown: ({ evaluation_id: evaluationId, created_at: at }) => (
      <Link to="/evaluations/$evaluationId" params={{ evaluationId }} search={{}}>
        {moment(at)}
      </Link>
    ),
  },
  { name: t('Settings'), value: settingsLine, isLess: true, width: 18 },
  { name: t('Right'), value: rightShare, width: 5.5 },
  {
    name: t('Questions'),
    value: ({ questions }) => questions,
    shown: ({ asked, erased, questions, ...run }) =>
      isRunning(run) ? t('{part} of {whole}', { part: asked + erased, whole: questions }) : count(questions),
    isNumber: true,
    width: 6.5,
  },
  { name: t('State'), value: ({ status }) => t(status), isLess: true, width: 7 },
]

const rowsOf = ({ evaluations }: Listed) => evaluations

/** Lists the caller's evaluations, and starts one. */
export function EvaluationsPage(): ReactNode {
  const cairn = useCairn()
  const listed = useRows(
    ['evaluations'],
    (cursor) => cairn.listEvaluations({ limit: AT_ONCE, ...(cursor && { cursor }) }),
    rowsOf,
    { everyMs: POLL_MS },
  )
  return (
    <Page
      title={t('Evaluations')}
      about={t('Asks many questions, grades the answers, and shows what a change of settings makes better or worse.')}
    >
      <Sheet title={t('New run')}>
        <NewEvaluation />
      </Sheet>
      <QueryView of={listed}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title={t('There are no evaluations yet')} />
          ) : (
            <RowsTable
              label={t('Evaluations')}
              columns={COLUMNS}
              rows={rows}
              keyOf={(row) => row.evaluation_id}
              onMore={listed.onMore}
              hasMore={listed.hasMore}
            />
          )
        }
      </QueryView>
    </Page>
  )
}
