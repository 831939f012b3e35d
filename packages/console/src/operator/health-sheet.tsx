import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useCairn, useSession } from '../app/session.ts'
import { t } from '../language/language.ts'
import { count } from '../parts/format.ts'
import { SecondaryText } from '../parts/lines.tsx'
import { Sheet } from '../parts/page.tsx'
import { QueryView } from '../parts/states.tsx'
import classes from './health-sheet.module.css'
import { parseMetrics } from './parse-metrics.ts'

const POLL_MS = 5_000
const MIB = 1024 * 1024

/** Metrics shown: label, metric name and unit divisor. */
const FIGURES = [
  [t('Requests answered'), 'cairn_http_request_duration_seconds_count', 1],
  [t('Records applied'), 'cairn_records_total', 1],
  [t('Records waiting'), 'cairn_backlog_records', 1],
  [t('Longest wait, seconds'), 'cairn_backlog_records_seconds', 1],
  [t('Sources due'), 'cairn_backlog_sources', 1],
  [t('Deliveries'), 'cairn_deliveries_total', 1],
  [t('Pulls'), 'cairn_pulls_total', 1],
  [t('Webhook messages'), 'cairn_webhook_messages_total', 1],
  [t('Memory, MiB'), 'process_resident_memory_bytes', MIB],
] as const

/** Shows whether this process is ready, and its counters since it started. */
export function HealthSheet(): ReactNode {
  const cairn = useCairn()
  const { apiKey } = useSession()
  const ready = useQuery({ queryKey: ['readiness'], queryFn: () => cairn.getReadiness(), refetchInterval: POLL_MS })
  const metrics = useQuery({
    queryKey: ['metrics'],
    queryFn: async () => parseMetrics(await cairn.getMetrics({}, { headers: { authorization: `Bearer ${apiKey}` } })),
    refetchInterval: POLL_MS,
  })
  const isWell = ready.data?.status === 'ok'
  return (
    <Sheet title={t('The service')}>
      <Badge color={isWell ? 'teal' : 'red'} variant={isWell ? 'light' : 'filled'}>
        {ready.isPending ? t('Checking') : isWell ? t('Ready') : t('Not ready')}
      </Badge>
      <QueryView of={metrics}>
        {(numbers) => (
          <dl className={classes.figures}>
            {FIGURES.map(([name, metric, unit]) => (
              <div key={metric}>
                <dt>{name}</dt>
                <dd>{count(Math.round((numbers.get(metric) ?? 0) / unit))}</dd>
              </div>
            ))}
          </dl>
        )}
      </QueryView>
      <SecondaryText>{t('Counted by the process that answered this request, since its start.')}</SecondaryText>
    </Sheet>
  )
}
