import type { AnswerStatement, SearchAnswer } from '@cairnstore/client'
import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { t } from '../language/language.ts'
import { plain } from '../parts/plain.ts'
import { RecordCard } from '../records/record-card.tsx'
import type { QuestionTurn } from './conversation.ts'
import classes from './evidence.module.css'
import { WhyFound } from './why-found.tsx'

const SHOWN_FIRST = 3

interface EvidenceProps {
  id: string
  turn: QuestionTurn
  statement: AnswerStatement
  records: NonNullable<SearchAnswer['records']>
}

/** Shows the records that support one statement, each with its cited passage. */
export function Evidence({ id, turn, statement, records }: EvidenceProps): ReactNode {
  const [isWhole, setWhole] = useState(false)
  const ids = statement.record_ids
  const shown = isWhole ? ids : ids.slice(0, SHOWN_FIRST)
  return (
    <aside id={id} className={classes.evidence} aria-label={t('Supporting records')}>
      <h2>{t('Supported by {n} record|Supported by {n} records', { n: ids.length })}</h2>
      {statement.computed && (
        <p className={classes.computed}>
          {t('Computed:')} {plain(statement.computed)}
        </p>
      )}
      {shown.map((id) => (
        <RecordCard
          key={id}
          recordId={id}
          pointer={records.find(({ record_id: each }) => each === id)}
          spans={(statement.spans ?? []).filter(({ record_id: each }) => each === id)}
        >
          <WhyFound turn={turn} recordId={id} />
        </RecordCard>
      ))}
      {shown.length < ids.length && (
        <Button variant="default" size="compact-sm" onClick={() => setWhole(true)}>
          {t('Show {more} more', { more: ids.length - shown.length })}
        </Button>
      )}
    </aside>
  )
}
