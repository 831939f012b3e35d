import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense } from 'react'
import { useCairn, useSession } from '../app/session.ts'
import { t } from '../language/language.ts'
import { count, day, dollars, mebibytes } from '../parts/format.ts'
import { Page, Sheet } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { Loading, QueryView } from '../parts/states.tsx'
import classes from './usage-page.module.css'

const DAYS = 14
const MS_PER_DAY = 86_400_000
const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }))

/** Shows the account's usage by day, and the size of the sandbox. */
export function UsagePage(): ReactNode {
  const cairn = useCairn()
  const { apiKey, sandboxId } = useSession()
  const usage = useQuery({ queryKey: ['usage', apiKey], queryFn: () => cairn.getUsage() })
  const size = useQuery({
    queryKey: [sandboxId, 'usage'],
    queryFn: () => cairn.getSandboxUsage({ sandbox_id: sandboxId ?? '' }),
    enabled: sandboxId !== undefined,
  })
  return (
    <Page title={t('Usage')} about={t('What your account used this month, and how large this sandbox is.')}>
      <Sheet title={t('This month')}>
        <QueryView of={usage}>
          {(it) => (
            <dl className={classes.figures}>
              <Figure name={t('Questions')} value={count(it.queries)} />
              <Figure name={t('Records added')} value={count(it.ingested_records)} />
              <Figure name={t('Model tokens')} value={count(it.summary.total_tokens)} />
              <Figure name={t('Model cost')} value={dollars(it.summary.total_cost_usd)} />
            </dl>
          )}
        </QueryView>
      </Sheet>
      <ByDay />
      <Sheet title={t('This sandbox')}>
        <QueryView of={size}>
          {(it) => (
            <dl className={classes.figures}>
              <Figure name={t('Records')} value={count(it.max_records)} />
              <Figure name={t('Stored')} value={mebibytes(it.max_storage_bytes ?? 0)} />
              <Figure name={t('Sources')} value={count(it.max_data_sources)} />
              <Figure name={t('Projects')} value={count(it.max_projects)} />
            </dl>
          )}
        </QueryView>
      </Sheet>
      <QueryView of={usage}>
        {({ by_model: models }) =>
          models.length === 0 ? null : (
            <Sheet title={t('By model')}>
              <ul>
                {models.map(({ model, provider, total_tokens: tokens, cost_usd: cost }) => (
                  <li key={`${model} ${provider}`}>
                    {t('{model}, {n} token, {cost}|{model}, {n} tokens, {cost}', {
                      model: plainLine(model),
                      n: tokens,
                      cost: dollars(cost),
                    })}
                  </li>
                ))}
              </ul>
            </Sheet>
          )
        }
      </QueryView>
    </Page>
  )
}

function Figure({ name, value }: { name: string; value: string }): ReactNode {
  return (
    <div className={classes.figure}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function ByDay(): ReactNode {
  const cairn = useCairn()
  const { apiKey } = useSession()
  const days = useQuery({
    queryKey: ['usage-by-day', apiKey],
    queryFn: async () => {
      const dates = Array.from({ length: DAYS }, (_, at) => dayBefore(DAYS - 1 - at))
      const used = await Promise.all(dates.map((date) => cairn.getUsage({ from: date, to: date })))
      return {
        dates,
        queries: used.map(({ queries }) => queries),
        records: used.map(({ ingested_records: records }) => records),
      }
    },
  })
  return (
    <Sheet title={t('The last two weeks')}>
      <QueryView of={days}>
        {({ dates, queries, records }) => (
          <Suspense fallback={<Loading />}>
            <div className={classes.plots}>
              <div>
                <h3>{t('Questions a day')}</h3>
                <Plot dates={dates} values={queries} />
              </div>
              <div>
                <h3>{t('Records added a day')}</h3>
                <Plot dates={dates} values={records} />
              </div>
            </div>
            <DaysTable dates={dates} queries={queries} records={records} />
          </Suspense>
        )}
      </QueryView>
    </Sheet>
  )
}

interface Days {
  dates: readonly string[]
  queries: readonly number[]
  records: readonly number[]
}

function DaysTable({ dates, queries, records }: Days): ReactNode {
  return (
    <details className={classes.table}>
      <summary>{t('As a table')}</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('Day')}</th>
            <th scope="col">{t('Questions')}</th>
            <th scope="col">{t('Records added')}</th>
          </tr>
        </thead>
        <tbody>
          {dates.map((date, at) => (
            <tr key={date}>
              <th scope="row">{day(date)}</th>
              <td>{count(queries[at])}</td>
              <td>{count(records[at])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

function dayBefore(days: number): string {
  return new Date(Date.now() - days * MS_PER_DAY).toISOString().slice(0, 10)
}
