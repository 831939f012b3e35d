import type { SearchAnswer } from '@cairnstore/client'
import type { ReactNode } from 'react'
import { plain } from '../parts/plain.ts'
import { RecordCard } from '../records/record-card.tsx'
import classes from './refusal.module.css'

/** What is said when nothing answers: that it is so, and what came nearest. */
export function Refusal({ answer }: { answer: SearchAnswer }): ReactNode {
  const nearest = answer.nearest ?? []
  return (
    <div className={classes.refusal}>
      <p className={classes.sentence}>
        <strong>No answer.</strong> {plain(answer.answer)}
      </p>
      {nearest.length > 0 && <h3>What came nearest</h3>}
      {nearest.map((pointer) => (
        <RecordCard key={pointer.record_id} recordId={pointer.record_id} pointer={pointer} spans={[]} />
      ))}
    </div>
  )
}
