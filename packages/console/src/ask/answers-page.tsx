import type { AnswerPage as Listed } from '@cairnstore/client'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useCairn } from '../app/session.ts'
import { useRows } from '../app/use-rows.ts'
import { day } from '../parts/format.ts'
import { Page } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { type Column, RowsTable } from '../parts/rows-table.tsx'
import { EmptyState, QueryView } from '../parts/states.tsx'

type AnswerRow = Listed['answers'][number]

const AT_ONCE = 50
const OUTCOMES: Readonly<Record<AnswerRow['outcome'], string>> = {
  answered: 'answered',
  closest: 'closest passages',
  nothing: 'no answer',
}

const COLUMNS: readonly Column<AnswerRow>[] = [
  {
    name: 'Question',
    value: ({ query }) => query,
    shown: ({ answer_id: answerId, query }) => (
      <Link to="/answers/$answerId" params={{ answerId }} search={{}}>
        <bdi>{plainLine(query)}</bdi>
      </Link>
    ),
  },
  { name: 'Outcome', value: ({ outcome }) => OUTCOMES[outcome], width: 9, isLess: true },
  { name: 'Shared', value: ({ shared }) => (shared ? 'shared' : ''), width: 6, isLess: true },
  {
    name: 'Asked',
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
    <Page title="History" about="Your questions and their answers, newest first. Others see an answer if you share it.">
      <QueryView of={listed}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title="There are no answers yet">
              <p>
                <Link to="/">Ask a question</Link>. Its answer is kept here unless this service stores no answers.
              </p>
            </EmptyState>
          ) : (
            <RowsTable
              label="Answers"
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
