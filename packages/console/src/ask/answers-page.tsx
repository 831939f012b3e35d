import type { AnswerPage as Listed } from '@cairnstore/client'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useCairn } from '../app/session.ts'
import { useRows } from '../app/use-rows.ts'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'
import { day } from '../parts/format.ts'
import { Page } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { type Column, RowsTable } from '../parts/rows-table.tsx'
import { EmptyState, QueryView } from '../parts/states.tsx'

type AnswerRow = Listed['answers'][number]

const AT_ONCE = 50
const OUTCOMES: Readonly<Record<AnswerRow['outcome'], string>> = {
  answered: t('answered'),
  closest: t('closest passages'),
  nothing: t('no answer'),
}

const COLUMNS: readonly Column<AnswerRow>[] = [
  {
    name: t('Question'),
    value: ({ query }) => query,
    shown: ({ answer_id: answerId, query }) => (
      <Link to="/answers/$answerId" params={{ answerId }} search={{}}>
        <bdi>{plainLine(query)}</bdi>
      </Link>
    ),
  },
  { name: t('Outcome'), value: ({ outcome }) => OUTCOMES[outcome], width: 9, isLess: true },
  { name: t('Shared'), value: ({ shared }) => (shared ? t('shared') : ''), width: 6, isLess: true },
  {
    name: t('Asked'),
    value: ({ created_at: at }) => at,
    shown: ({ created_at: at }) => day(at),
    width: 7.5,
  },
]

const rowsOf = ({ answers }: Listed) => answers

/** Lists the caller's stored answers, newest first. */
export function AnswersPage(): ReactNode {
  const cairn = useCairn()
  const listed = useRows(
    ['answers'],
    (cursor) => cairn.listAnswers({ limit: AT_ONCE, ...(cursor && { cursor }) }),
    rowsOf,
  )
  return (
    <Page
      title={t('History')}
      about={t('Your questions and their answers, newest first. Others see an answer if you share it.')}
    >
      <QueryView of={listed}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title={t('There are no answers yet')}>
              <p>
                {rich('{ask}. Its answer is kept here unless this service stores no answers.', {
                  ask: <Link to="/">{t('Ask a question')}</Link>,
                })}
              </p>
            </EmptyState>
          ) : (
            <RowsTable
              label={t('Answers')}
              columns={COLUMNS}
              rows={rows}
              keyOf={(row) => row.answer_id}
              onMore={listed.onMore}
              hasMore={listed.hasMore}
            />
          )
        }
      </QueryView>
    </Page>
  )
}
