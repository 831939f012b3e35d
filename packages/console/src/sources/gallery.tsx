import type { Provider, ProviderWay } from '@cairnstore/client'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useCairn, useSession } from '../app/session.ts'
import { Sheet } from '../parts/page.tsx'
import { Shown } from '../parts/states.tsx'
import { ConnectForm } from './connect-form.tsx'
import classes from './sources-page.module.css'

interface Chosen {
  provider: Provider
  way: ProviderWay
}

const WAYS: Record<ProviderWay['ingestion_mode'], string> = {
  realtime: 'it delivers',
  polling: 'it is read',
}

/** What can be connected, each in the ways in which that is possible. */
export function Gallery(): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const [chosen, setChosen] = useState<Chosen>()
  const providers = useQuery({ queryKey: [sandboxId, 'providers'], queryFn: () => cairn.listProviders() })
  return (
    <Sheet title="Connect a source">
      <Shown of={providers}>
        {(it) => (
          <div className={classes.products}>
            {it.providers.flatMap((provider) =>
              provider.ways.map((way) => (
                <Button
                  key={`${provider.provider} ${way.ingestion_mode}`}
                  variant={chosen?.way === way ? 'filled' : 'default'}
                  size="compact-md"
                  aria-pressed={chosen?.way === way}
                  onClick={() => setChosen({ provider, way })}
                >
                  {provider.name}, {WAYS[way.ingestion_mode]}
                </Button>
              )),
            )}
          </div>
        )}
      </Shown>
      {chosen && (
        <ConnectForm
          key={`${chosen.provider.provider} ${chosen.way.ingestion_mode}`}
          provider={chosen.provider}
          way={chosen.way}
        />
      )}
    </Sheet>
  )
}
