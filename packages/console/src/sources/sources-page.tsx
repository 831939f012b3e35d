import type { Source } from '@cairnstore/client'
import { Badge, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { firstPage } from '../app/first-page.ts'
import { useCairn, useSession } from '../app/session.ts'
import { Page } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { Empty, Shown } from '../parts/states.tsx'
import { ago } from '../parts/when.ts'
import { Gallery } from './gallery.tsx'
import classes from './sources-page.module.css'

const CHARS = 80
const LOOK_MS = 5_000
const LISTED = 100

/** What a source's state looks like. */
export const STATE_COLOURS: Record<Source['status'], string> = {
  active: 'teal',
  paused: 'yellow',
  disconnected: 'gray',
  error: 'red',
  archived: 'gray',
}

/** Where records come from, and what else can be connected. */
export function SourcesPage(): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const [isConnecting, setConnecting] = useState(false)
  const sources = useQuery({
    queryKey: [sandboxId, 'sources'],
    queryFn: () => firstPage(cairn.listSources({ limit: LISTED })),
    refetchInterval: LOOK_MS,
    enabled: sandboxId !== undefined,
  })
  return (
    <Page
      title="Sources"
      beside={
        <Button variant={isConnecting ? 'default' : 'filled'} onClick={() => setConnecting(!isConnecting)}>
          {isConnecting ? 'Close' : 'Connect a source'}
        </Button>
      }
    >
      {isConnecting && <Gallery />}
      <Shown of={sources}>
        {({ sources: all }) =>
          all.length === 0 ? (
            <Empty title="No source yet">
              <p>
                Connect a product, and what is said and done there comes in by itself; or{' '}
                <Link to="/add">add files</Link>.
              </p>
            </Empty>
          ) : (
            <ul className={classes.cards}>
              {all.map((source) => (
                <Card key={source.data_source_id} source={source} />
              ))}
            </ul>
          )
        }
      </Shown>
    </Page>
  )
}

function Card({ source }: { source: Source }): ReactNode {
  const { data_source_id: sourceId, name, provider, status, ingestion_mode: mode } = source
  return (
    <li className={classes.card}>
      <h2>
        <Link to="/sources/$sourceId" params={{ sourceId }}>
          <bdi>{plainLine(name, CHARS)}</bdi>
        </Link>
      </h2>
      <p>
        {plainLine(provider, CHARS)} · {mode}
      </p>
      <p>
        <Badge variant="light" color={STATE_COLOURS[status]}>
          {status}
        </Badge>{' '}
        {source.last_sync_at ? `last brought something ${ago(source.last_sync_at, Date.now())}` : 'brought nothing yet'}
      </p>
      {source.last_error && (
        <p className={classes.error}>The last pull failed: {plainLine(source.last_error, CHARS)}</p>
      )}
    </li>
  )
}
