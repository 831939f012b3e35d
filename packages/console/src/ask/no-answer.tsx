import type { SearchAnswer } from '@cairnstore/client'
import type { ReactNode } from 'react'
import { plain, plainLine } from '../parts/plain.ts'
import { typeName } from '../parts/words.ts'
import { RecordCard } from '../records/record-card.tsx'
import classes from './no-answer.module.css'

/** Shows that there is no answer, with the unread files that may contain it and the nearest records. */
export function NoAnswer({ answer }: { answer: SearchAnswer }): ReactNode {
  const { nearest = [], unread = [] } = answer
  return (
    <div className={classes.refusal}>
      <p className={classes.sentence}>
        <strong>No answer.</strong> {plain(answer.answer)}
      </p>
      {unread.length > 0 && (
        <>
          <h3>Files that may contain the answer but could not be read</h3>
          <ul className={classes.unread}>
            {unread.map(({ path, reason }) => (
              <li key={path}>
                <bdi>{plainLine(path)}</bdi>: {typeName(reason)}
              </li>
            ))}
          </ul>
        </>
      )}
      {nearest.length > 0 && <h3>The nearest records</h3>}
      {nearest.map((pointer) => (
        <RecordCard key={pointer.record_id} recordId={pointer.record_id} pointer={pointer} spans={[]} />
      ))}
    </div>
  )
}
