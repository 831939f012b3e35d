import type { KnowledgeRecord } from '@cairnstore/client'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSandboxes } from '../app/sandbox-chooser.tsx'
import { chooseSandbox, useCairn, useSession } from '../app/session.ts'
import { ExternalLink } from '../parts/external-link.tsx'
import { plainLine } from '../parts/plain.ts'
import { Shown } from '../parts/states.tsx'
import { count, moment } from '../parts/when.ts'
import { DeleteRecord } from './delete-record.tsx'
import { findRecord } from './find-record.ts'
import classes from './record-page.module.css'
import { RecordText } from './record-text.tsx'

const TITLE_CHARS = 300
const NAMED_MAX = 60

/** One record in full. */
export function RecordPage(): ReactNode {
  const { recordId } = useParams({ from: '/records/$recordId' })
  const { marks } = useSearch({ from: '/records/$recordId' })
  const cairn = useCairn()
  const { sandboxId, asUser } = useSession()
  const sandboxes = useSandboxes().data?.sandboxes ?? []
  const record = useQuery({
    queryKey: [sandboxId, 'record', recordId, 'anywhere'],
    queryFn: async () => {
      const others = asUser === undefined ? sandboxes.map(({ sandbox_id: id }) => id) : []
      const found = await findRecord(cairn, recordId, [sandboxId!, ...others.filter((id) => id !== sandboxId)])
      // What leads here names no sandbox, so the record's own is shown from now on.
      if (found.sandboxId !== sandboxId) chooseSandbox(found.sandboxId)
      return found.record
    },
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
          <Named mentions={it.mentions ?? []} />
          {asUser === undefined && <DeleteRecord record={it} />}
        </article>
      )}
    </Shown>
  )
}

/** The entities whose names stand in the text. */
function Named({ mentions }: { mentions: NonNullable<KnowledgeRecord['mentions']> }): ReactNode {
  const byId = new Map(mentions.map(({ canonical_id: id, text }) => [id, text]))
  if (byId.size === 0) return null
  return (
    <section className={classes.named}>
      <h2>Named in it</h2>
      <ul>
        {[...byId].slice(0, NAMED_MAX).map(([entityId, text]) => (
          <li key={entityId}>
            <Link to="/entities/$entityId" params={{ entityId }}>
              <bdi>{plainLine(text, TITLE_CHARS)}</bdi>
            </Link>
          </li>
        ))}
      </ul>
      {byId.size > NAMED_MAX && <p>and {count(byId.size - NAMED_MAX)} more</p>}
    </section>
  )
}

/** `12-80.95-120` as stretches of the text; what is none is left out. */
function stretchesOf(marks: string | undefined) {
  return (marks ?? '').split('.').flatMap((each) => {
    const [start = Number.NaN, end = Number.NaN] = each.split('-').map(Number)
    return Number.isInteger(start) && Number.isInteger(end) && end > start ? [{ start, end }] : []
  })
}
