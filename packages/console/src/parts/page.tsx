import { useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { focusHeading } from '../app/heading-focus.ts'
import classes from './page.module.css'

interface PageProps {
  title: string
  /** Title of the browser tab, if it differs from the page's title. */
  tab?: string | undefined
  /** One sentence that describes the page. */
  about?: ReactNode
  /** Actions of the page. */
  beside?: ReactNode
  children: ReactNode
}

/** Shows a page with its title, sets the title of the tab, and moves the focus to the title after a navigation. */
export function Page({ title, tab = title, about, beside, children }: PageProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null)
  const path = useRouterState({ select: ({ resolvedLocation, location }) => (resolvedLocation ?? location).pathname })
  useEffect(() => {
    document.title = `${tab} · Cairn`
  }, [tab])
  useEffect(() => focusHeading(heading.current, path), [path])
  return (
    <div className={classes.page}>
      <header className={classes.top}>
        <div className={classes.title}>
          <h1 ref={heading} tabIndex={-1} dir="auto">
            <bdi>{title}</bdi>
          </h1>
          {about && <p className={classes.about}>{about}</p>}
        </div>
        {beside && <div className={classes.beside}>{beside}</div>}
      </header>
      {children}
    </div>
  )
}

/** Shows fields side by side if there is space. */
export function Fields({ children }: { children: ReactNode }): ReactNode {
  return <div className={classes.fields}>{children}</div>
}

/** Shows a framed section of a page. */
export function Sheet({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <section className={classes.sheet}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}
