import type { RunPage, Source } from '@cairnstore/client'
import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn, useSession } from '../app/session.ts'
import { useAccess, useProviders } from '../app/shared-queries.ts'
import { useRows } from '../app/use-rows.ts'
import { formatCounts, JobState } from '../jobs/outcome.tsx'
import { t } from '../language/language.ts'
import { CopyableText } from '../parts/copyable-text.tsx'
import { count, moment } from '../parts/format.ts'
import { Page, Sheet } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { type Column, RowsTable } from '../parts/rows-table.tsx'
import { sourceOrigin } from '../parts/source-words.ts'
import { QueryView } from '../parts/states.tsx'
import { ConsentSheet } from './consent.tsx'
import { isUnauthorized, pullError } from './consent-words.ts'
import { PurgeSource } from './purge-source.tsx'
import classes from './sources-page.module.css'
import { StateBadge } from './sources-page.tsx'

type PullRun = RunPage['runs'][number]

const AT_ONCE = 50
const LOOK_MS = 2_000

const COLUMNS: readonly Column<PullRun>[] = [
  {
    name: t('Run'),
    shown: ({ counts: { written, removed, failed }, error }) =>
      error ? plainLine(error) : formatCounts({ written, removed, failed }) || t('nothing new'),
  },
  {
    name: t('Progress'),
    shown: ({ progress: { done, total } }) =>
      total === null ? count(done) : t('{part} of {whole}', { part: done, whole: total }),
    isLess: true,
  },
  { name: t('Began'), shown: ({ started_at: at, created_at: accepted }) => moment(at ?? accepted), isLess: true },
  { name: t('State'), shown: ({ status }) => <JobState of={status} /> },
]

const runsOf = ({ runs }: RunPage) => runs

/** Shows one source: its state, runs and actions. */
export function SourcePage(): ReactNode {
  const { sourceId } = useParams({ from: '/sources/$sourceId' })
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const providers = useProviders().data?.providers
  const isViewer = useAccess() === 'viewer'
  const source = useQuery({
    queryKey: [sandboxId, 'source', sourceId],
    queryFn: () => cairn.getSource({ source_id: sourceId }),
    refetchInterval: LOOK_MS,
    enabled: sandboxId !== undefined,
  })
  const runs = useRows(
    ['runs', sourceId],
    (cursor) => cairn.listRuns({ source_id: sourceId, limit: AT_ONCE, ...(cursor && { cursor }) }),
    runsOf,
    { everyMs: LOOK_MS },
  )
  return (
    <QueryView of={source}>
      {(it) => (
        <Page
          title={plainLine(it.name)}
          about={[sourceOrigin(it, providers), lastSync(it)].join(' · ')}
          beside={<StateBadge source={it} />}
        >
          {pullError(it) && (
            <p role="alert">{t('The last pull failed: {error}', { error: plainLine(pullError(it) ?? '') })}</p>
          )}
          {!isViewer && <ConsentSheet source={it} />}
          {!isViewer && !isUnauthorized(it) && <Verbs source={it} />}
          <Sheet title={t('Runs')}>
            <QueryView of={runs}>
              {(rows) =>
                rows.length === 0 ? (
                  <p className={classes.counts}>{t('No runs yet. Each import, delivery and pull is a run.')}</p>
                ) : (
                  <RowsTable
                    label={t('Runs')}
                    columns={COLUMNS}
                    rows={rows}
                    keyOf={(row) => row.job_id}
                    onMore={runs.onMore}
                    hasMore={runs.hasMore}
                  />
                )
              }
            </QueryView>
          </Sheet>
          {!isViewer && <PurgeSource source={it} />}
        </Page>
      )}
    </QueryView>
  )
}

function lastSync({ last_sync_at: at }: Source): string {
  return at ? t('last sync {when}', { when: moment(at) }) : t('no content yet')
}

function Verbs({ source }: { source: Source }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const [secret, setSecret] = useState<string>()
  const { data_source_id: source_id, status, ingestion_mode: mode } = source
  const doing = useMutation({
    mutationFn: (verb: () => Promise<unknown>) => verb(),
    onSuccess: () => known.invalidateQueries(),
  })
  const verb = (name: string, act: () => Promise<unknown>) => (
    <Button key={name} variant="default" disabled={doing.isPending} onClick={() => doing.mutate(act)}>
      {name}
    </Button>
  )
  const rotate = async () => {
    const { webhook_signing_secret: made } = await cairn.rotateWebhookSecret({ source_id })
    setSecret(made ?? undefined)
  }
  return (
    <>
      <div className={classes.verbs}>
        {mode === 'polling' && verb(t('Pull now'), () => cairn.pullSource({ source_id }))}
        {status === 'active'
          ? verb(t('Pause'), () => cairn.pauseSource({ source_id }))
          : verb(t('Resume'), () => cairn.resumeSource({ source_id }))}
        {mode === 'realtime' && verb(t('Rotate secret'), rotate)}
      </div>
      {doing.error && <p role="alert">{sentenceOf(doing.error)}</p>}
      {secret && (
        <div role="status">
          <p>{t('The new secret is shown only here. The old one no longer works.')}</p>
          <CopyableText text={secret} label={t('the secret')} />
        </div>
      )}
    </>
  )
}
