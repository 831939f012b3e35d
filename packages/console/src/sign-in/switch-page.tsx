import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { OfferedLink } from '../app/session.ts'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'
import { plainLine } from '../parts/plain.ts'
import { acceptOffer, declineOffer } from './link.ts'
import classes from './sign-in-page.module.css'

/** Asks for confirmation before a link signs the browser in as somebody else. */
export function SwitchPage({ offered }: { offered: OfferedLink }): ReactNode {
  const name = plainLine(offered.name)
  return (
    <main className={classes.page}>
      <section className={classes.card} aria-labelledby="switch">
        <img src="/console/icon.svg" alt="" width={40} height={40} />
        <h1 id="switch">{rich('Switch to the account {name}?', { name: <bdi>{name}</bdi> })}</h1>
        <p>
          {t('The link that you opened signs in to this account. You are signed in to another one.')}{' '}
          {rich('Switch only if you asked for the link yourself: what you add afterwards belongs to {name}.', {
            name: <bdi>{name}</bdi>,
          })}
        </p>
        <Button onClick={declineOffer} data-autofocus>
          {t('Stay signed in')}
        </Button>
        <Button variant="default" onClick={() => void acceptOffer(offered)}>
          {t('Switch to {name}', { name })}
        </Button>
      </section>
    </main>
  )
}
