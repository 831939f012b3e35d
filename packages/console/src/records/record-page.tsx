import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useCairn, useSession } from '../app/session.ts'
import { ExternalLink } from '../parts/external-link.tsx'
import { plainLine } from '../parts/plain.ts'
import { Shown } from '../parts/states.tsx'
import { moment } from '../parts/when.ts'
import classes from './record-page.module.css'
import { RecordText } from './record-text.tsx'

const TITLE_CHARS = 300

/** One record in full. */
export function RecordPage(): ReactNode {
  const { recordId } = useParams({ from: '/records/$recordId' })
  const { marks } = useSearch({ from: '/records/$recordId' })
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const record = useQuery({
    queryKey: [sandboxId, 'record', recordId],
    queryFn: () => cairn.getRecord({ record_id: recordId }),
    enabled: sandboxId !== undefined,
  })
  return (
    <Shown of={record}>
      {(it) => (
        <article className={classes.record}>
          <h1>
            <bdi>{plainLine(it.title || it.text || recordId, TITLE_CHARS)}</bdi>
          </h1>
          <p className={classes.about}>
            {[it.type, moment(it.occurred_at), it.external_id]
              .filter(Boolean)
              .map((each) => plainLine(String(each), 80))
              .join(' · ')}
          </p>
          <ExternalLink url={it.url}>Open at its source</ExternalLink>
          <RecordText text={it.text ?? ''} marks={stretchesOf(marks)} />
        </article>
      )}
    </Shown>
  )
}

/** `12-80.95-120` as stretches of the text; what is none is left out. */
function stretchesOf(marks: string | undefined) {
  return (marks ?? '').split('.').flatMap((each) => {
    const [start = Number.NaN, end = Number.NaN] = each.split('-').map(Number)
    return Number.isInteger(start) && Number.isInteger(end) && end > start ? [{ start, end }] : []
  })
}
