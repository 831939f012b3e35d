import { type ReactNode, useEffect } from 'react'
import classes from './page.module.css'

interface PageProps {
  title: string
  /** What the page is about, in a sentence. */
  about?: ReactNode
  /** What can be done on it. */
  beside?: ReactNode
  children: ReactNode
}

/** A page under its title, which the tab has too. */
export function Page({ title, about, beside, children }: PageProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Cairn`
  }, [title])
  return (
    <div className={classes.page}>
      <header className={classes.top}>
        <div className={classes.title}>
          <h1>
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

/** Fields side by side where there is room. */
export function Fields({ children }: { children: ReactNode }): ReactNode {
  return <div className={classes.fields}>{children}</div>
}

/** A framed part of a page. */
export function Sheet({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <section className={classes.sheet}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}
