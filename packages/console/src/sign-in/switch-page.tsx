import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { acceptOffer, declineOffer, type Session } from '../app/session.ts'
import { plainLine } from '../parts/plain.ts'
import classes from './sign-in-page.module.css'

/** Asks for confirmation before a link signs the tab in to another account, and shows that account's name. */
export function SwitchPage({ offered }: { offered: NonNullable<Session['offered']> }): ReactNode {
  const name = plainLine(offered.name)
  return (
    <main className={classes.page}>
      <section className={classes.card} aria-labelledby="switch">
        <img src="/console/icon.svg" alt="" width={40} height={40} />
        <h1 id="switch">
          Switch to the account <bdi>{name}</bdi>?
        </h1>
        <p>
          The link that you opened signs in to this account. This tab is signed in to another one. Switch only if you
          asked for the link yourself: what you add afterwards belongs to <bdi>{name}</bdi>.
        </p>
        <Button onClick={() => void declineOffer(offered).catch(() => undefined)} data-autofocus>
          Stay signed in
        </Button>
        <Button variant="default" onClick={() => acceptOffer(offered)}>
          Switch to {name}
        </Button>
      </section>
    </main>
  )
}
