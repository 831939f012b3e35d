import type { KnowledgeRecord } from '@cairnstore/client'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useSession } from '../app/session.ts'
import { useSources } from '../app/shared-queries.ts'
import { useFound } from '../app/use-found.ts'
import { t } from '../language/language.ts'
import { Columns } from '../parts/columns.tsx'
import { Details, detailsOf } from '../parts/details.tsx'
import { ExternalLink } from '../parts/external-link.tsx'
import { day, moment } from '../parts/format.ts'
import { Page, Sheet } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { nameOf, recordHeading } from '../parts/record-title.ts'
import { QueryView } from '../parts/states.tsx'
import { typeName } from '../parts/words.ts'
import { DeleteRecord } from './delete-record.tsx'
import { OriginalFile } from './original-file.tsx'
import classes from './record-page.module.css'
import { RecordText } from './record-text.tsx'

const NAMED_MAX = 60
const STATED_MAX = 40

/** Shows a complete record. */
export function RecordPage(): ReactNode {
  const { recordId } = useParams({ from: '/records/$recordId' })
  const { marks } = useSearch({ from: '/records/$recordId' })
  const record = useFound(['record', recordId, 'anywhere'], (cairn, sandboxId) =>
    cairn.getRecord({ sandbox_id: sandboxId, record_id: recordId }),
  )
  return <QueryView of={record}>{(it) => <RecordShown record={it} marks={marks} />}</QueryView>
}

function RecordShown({ record, marks }: { record: KnowledgeRecord; marks: string | undefined }): ReactNode {
  const { asUser } = useSession()
  const spans = useMemo(() => spansOf(marks), [marks])
  const { title, author, type, occurred_at: at, url } = record
  // If there is no title, the heading already contains type and author.
  const what = title ? [typeName(type), nameOf(author)] : []
  const about = [...what, at && moment(at)].filter(Boolean)
  return (
    <article>
      <Page
        title={recordHeading(record)}
        about={about.map((each) => plainLine(String(each))).join(' · ')}
        beside={
          <>
            <ExternalLink url={url}>{t('Open at its source')}</ExternalLink>
            <OriginalFile record={record} />
          </>
        }
      >
        <Columns
          beside={
            <>
              <Sheet title={t('Details')}>
                <About record={record} />
              </Sheet>
              <Named mentions={record.mentions ?? []} />
              <Stated record={record} />
              {asUser === undefined && <DeleteRecord record={record} />}
            </>
          }
        >
          <RecordText record={record} marks={spans} />
        </Columns>
      </Page>
    </article>
  )
}

function About({ record }: { record: KnowledgeRecord }): ReactNode {
  const { source_id: sourceId, owner, due, phase, kind, external_id: id, created_at: since, properties = {} } = record
  const source = useSources().data?.sources.find((each) => each.data_source_id === sourceId)
  const from = source && (
    <Link to="/sources/$sourceId" params={{ sourceId: source.data_source_id }}>
      <bdi>{plainLine(source.name)}</bdi>
    </Link>
  )
  return (
    <Details
      of={[
        [t('Source'), from],
        [t('Id in its source'), id && <bdi>{plainLine(id)}</bdi>],
        [t('Status'), phase],
        [t('Owner'), owner && <bdi>{plainLine(nameOf(owner))}</bdi>],
        [t('Due'), due && day(due)],
        [t('Kind'), kind && plainLine(kind)],
        [t('Added'), since && moment(since)],
        ...detailsOf(properties),
      ]}
    />
  )
}

/** Shows the entities mentioned in the text. */
function Named({ mentions }: { mentions: NonNullable<KnowledgeRecord['mentions']> }): ReactNode {
  const byId = new Map(mentions.map(({ canonical_id: id, text }) => [id, text]))
  if (byId.size === 0) return null
  return (
    <Sheet title={t('Mentioned entities')}>
      <ul className={classes.named}>
        {[...byId].slice(0, NAMED_MAX).map(([entityId, text]) => (
          <li key={entityId}>
            <Link to="/entities/$entityId" params={{ entityId }}>
              <bdi>{plainLine(text)}</bdi>
            </Link>
          </li>
        ))}
      </ul>
      {byId.size > NAMED_MAX && <p className={classes.soft}>{t('and {more} more', { more: byId.size - NAMED_MAX })}</p>}
    </Sheet>
  )
}

/** Shows the relations that the record declares, and those extracted from its text. */
function Stated({ record: { relations = [], facts = [] } }: { record: KnowledgeRecord }): ReactNode {
  const stated = [...relations, ...facts]
  if (stated.length === 0) return null
  return (
    <Sheet title={t('Stated relations')}>
      <ul className={classes.stated}>
        {stated.slice(0, STATED_MAX).map(({ subject, predicate, object, valid_from: from }) => (
          <li key={JSON.stringify([subject, predicate, object, from])}>
            <bdi>{plainLine(nameOf(subject))}</bdi> {plainLine(typeName(predicate))}{' '}
            <bdi>{plainLine(nameOf(object))}</bdi>
            {from && <span className={classes.soft}> {t('since {day}', { day: day(from) })}</span>}
          </li>
        ))}
      </ul>
      {stated.length > STATED_MAX && (
        <p className={classes.soft}>{t('and {more} more', { more: stated.length - STATED_MAX })}</p>
      )}
    </Sheet>
  )
}

/** Parses spans such as `12-80.95-120`. Ignores invalid ones. */
function spansOf(marks: string | undefined) {
  return (marks ?? '').split('.').flatMap((each) => {
    const [start = Number.NaN, end = Number.NaN] = each.split('-').map(Number)
    return Number.isInteger(start) && Number.isInteger(end) && end > start ? [{ start, end }] : []
  })
}
