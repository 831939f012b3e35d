import type { Source } from '@cairnstore/client'
import { Badge, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useAccess, useOverview, useProviders, useSources } from '../app/shared-queries.ts'
import { fromApi, t } from '../language/language.ts'
import { rich } from '../language/rich.ts'
import { ago, recordsOf } from '../parts/format.ts'
import { Page } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { sourceOrigin } from '../parts/source-words.ts'
import { EmptyState, QueryView } from '../parts/states.tsx'
import { consentSentence, isUnauthorized, pullError } from './consent-words.ts'
import { Gallery } from './gallery.tsx'
import classes from './sources-page.module.css'

const LOOK_MS = 5_000

/** Colors of the source states. */
const STATE_COLORS: Record<Source['status'], string> = {
  active: 'teal',
  paused: 'yellow',
  disconnected: 'gray',
  error: 'red',
  archived: 'gray',
}

/** Shows the state of a source. */
export function StateBadge({ source }: { source: Source }): ReactNode {
  const needsConsent = isUnauthorized(source)
  return (
    <Badge variant="light" color={needsConsent ? 'yellow' : STATE_COLORS[source.status]} flex="none">
      {needsConsent ? t('needs consent') : fromApi(source.status)}
    </Badge>
  )
}

/** Lists the sources and the products that can be connected. */
export function SourcesPage(): ReactNode {
  const isViewer = useAccess() === 'viewer'
  const [isConnecting, setConnecting] = useState(false)
  const sources = useSources({ everyMs: LOOK_MS })
  return (
    <Page
      title={t('Sources')}
      about={t('The origins of records: connected products, and added files and texts.')}
      beside={
        !isViewer && (
          <Button variant={isConnecting ? 'default' : 'filled'} onClick={() => setConnecting(!isConnecting)}>
            {isConnecting ? t('Close') : t('Connect a source')}
          </Button>
        )
      }
    >
      {isConnecting && <Gallery />}
      <QueryView of={sources}>
        {({ sources: all }) =>
          all.length === 0 ? (
            <EmptyState title={t('No source yet')}>
              <p hidden={isViewer}>
                {rich('Connect a product to import its content automatically, or {add}.', {
                  add: <Link to="/add">{t('add files')}</Link>,
                })}
              </p>
            </EmptyState>
          ) : (
            <ul className={classes.cards}>
              {all.map((source) => (
                <Card key={source.data_source_id} source={source} />
              ))}
            </ul>
          )
        }
      </QueryView>
    </Page>
  )
}

function Card({ source }: { source: Source }): ReactNode {
  const { data_source_id: sourceId, name, last_sync_at: at, authorization } = source
  const error = pullError(source)
  const providers = useProviders().data?.providers
  const records = useOverview({ everyMs: LOOK_MS }).data?.sources.find(
    ({ source_id: id }) => id === sourceId,
  )?.record_count
  const details = [
    records !== undefined && recordsOf(records),
    at ? t('last sync {when}', { when: ago(at, Date.now()) }) : t('no content yet'),
  ]
  return (
    <li className={classes.card}>
      <div className={classes.head}>
        <h2>
          <Link to="/sources/$sourceId" params={{ sourceId }}>
            <bdi>{plainLine(name)}</bdi>
          </Link>
        </h2>
        <StateBadge source={source} />
      </div>
      <p>{sourceOrigin(source, providers)}</p>
      <p>{details.filter(Boolean).join(' · ')}</p>
      {authorization && isUnauthorized(source) && <p>{consentSentence(authorization)}</p>}
      {error && <p className={classes.error}>{t('The last pull failed: {error}', { error: plainLine(error) })}</p>}
    </li>
  )
}
