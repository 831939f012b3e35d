import type { RecordPointer } from '@cairnstore/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { useCairn, useSession } from '../app/session.ts'
import { useSources } from '../app/shared-queries.ts'
import { t } from '../language/language.ts'
import { ExternalLink } from '../parts/external-link.tsx'
import { day } from '../parts/format.ts'
import { plainLine } from '../parts/plain.ts'
import { nameOf, recordHeading } from '../parts/record-title.ts'
import { QueryView } from '../parts/states.tsx'
import { typeName } from '../parts/words.ts'
import { RecordBody } from '../texts/record-body.tsx'
import { OriginalFile } from './original-file.tsx'
import classes from './record-card.module.css'

/**
 * Characters of context around a highlighted passage. The next constant is the maximum number of characters that are
 * searched for it.
 */
const AROUND_CHARS = 160
const CHARS_MAX = 20_000

interface RecordCardProps {
  recordId: string
  /** Fields of the record that the answer already contains. They are shown until the record is loaded. */
  pointer?: RecordPointer
  spans: readonly { start: number; end: number; locator?: string }[]
  /** Additional content. */
  children?: ReactNode
}

/** Shows a record as evidence: its kind and origin, and the text with the passage highlighted. */
export function RecordCard({ recordId, pointer, spans, children }: RecordCardProps): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const record = useQuery({
    queryKey: [sandboxId, 'record', recordId],
    queryFn: () => cairn.getRecord({ record_id: recordId }),
  })
  const sources = useSources()
  const excerpt = useRef<HTMLDivElement>(null)
  return (
    <section className={classes.card}>
      <QueryView of={record}>
        {(it) => {
          const { title, text, type, author, url, occurred_at: at, source_id: sourceId } = it
          const source = sources.data?.sources.find(({ data_source_id: id }) => id === sourceId)?.name
          const locators = [...new Set(spans.flatMap(({ locator }) => locator ?? []))]
          // If there is no title, the heading already contains type, author and date.
          const what = title ? [typeName(type), nameOf(author), at && day(at)] : []
          const about = [...what, pointer?.source_name ?? source, ...locators].filter(Boolean)
          return (
            <>
              <h3 className={classes.title}>
                <Link to="/records/$recordId" params={{ recordId }} search={{ marks: marksOf(spans) }}>
                  <bdi>{recordHeading(it)}</bdi>
                </Link>
              </h3>
              <p className={classes.about}>{about.map((each) => plainLine(String(each))).join(' · ')}</p>
              {text && (
                <div ref={excerpt} className={classes.excerpt}>
                  <RecordBody
                    key={marksOf(spans)}
                    record={it}
                    marks={spans}
                    charsMax={CHARS_MAX}
                    around={AROUND_CHARS}
                    scrolled={excerpt}
                  />
                </div>
              )}
              <ExternalLink url={url}>{t('Open at its source')}</ExternalLink>
              <OriginalFile record={it} />
              {children}
            </>
          )
        }}
      </QueryView>
    </section>
  )
}

function marksOf(spans: RecordCardProps['spans']): string | undefined {
  return spans.length === 0 ? undefined : spans.map(({ start, end }) => `${start}-${end}`).join('.')
}
