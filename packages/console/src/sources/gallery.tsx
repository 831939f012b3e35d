import type { Provider, ProviderConnection } from '@cairnstore/client'
import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useProviders } from '../app/shared-queries.ts'
import { fromApi, t } from '../language/language.ts'
import { Sheet } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { QueryView } from '../parts/states.tsx'
import { ConnectForm } from './connect-form.tsx'
import classes from './sources-page.module.css'

interface Chosen {
  provider: Provider
  way: ProviderConnection
}

const WAYS: Record<ProviderConnection['ingestion_mode'], { name: string; does: (product: string) => string }> = {
  realtime: { name: t('Webhook'), does: (product) => t('{product} sends events as they happen', { product }) },
  polling: { name: t('Polling'), does: (product) => t('Cairn regularly asks {product} for new content', { product }) },
}

/** Lists the products that can be connected with their ingestion modes, and shows the form of the chosen one. */
export function Gallery(): ReactNode {
  const [chosen, setChosen] = useState<Chosen>()
  const providers = useProviders()
  if (chosen) return <Connect {...chosen} onBack={() => setChosen(undefined)} />
  return (
    <Sheet title={t('Connect a source')}>
      <p className={classes.counts}>
        {t('By webhook, a product sends events as they happen.')}{' '}
        {t('By polling, the service regularly asks it for new content.')}
      </p>
      <QueryView of={providers}>
        {(it) => (
          <ul className={classes.products}>
            {it.providers.map((provider) => (
              <li key={provider.provider}>
                <h3>{plainLine(fromApi(provider.name))}</h3>
                <span className={classes.verbs}>
                  {provider.ways.map((way) => (
                    <Button
                      key={way.ingestion_mode}
                      variant="default"
                      size="compact-sm"
                      aria-label={`${fromApi(provider.name)}: ${WAYS[way.ingestion_mode].name}`}
                      onClick={() => setChosen({ provider, way })}
                    >
                      {WAYS[way.ingestion_mode].name}
                    </Button>
                  ))}
                </span>
              </li>
            ))}
          </ul>
        )}
      </QueryView>
    </Sheet>
  )
}

function Connect({ provider, way, onBack }: Chosen & { onBack: () => void }): ReactNode {
  const name = plainLine(fromApi(provider.name))
  return (
    <Sheet title={t('Connect {product}', { product: name })}>
      <p className={classes.counts}>
        {WAYS[way.ingestion_mode].name}: {WAYS[way.ingestion_mode].does(name)}.{' '}
        <Button variant="subtle" size="compact-sm" onClick={onBack}>
          {t('Choose another')}
        </Button>
      </p>
      <ConnectForm provider={provider} way={way} />
    </Sheet>
  )
}
