import { type ReactNode, useEffect } from 'react'
import classes from './page.module.css'

interface PageProps {
  title: string
  /** One sentence about the page. */
  about?: ReactNode
  /** Actions of the page. */
  beside?: ReactNode
  children: ReactNode
}

/** Shows a page with its title, and sets the title of the tab. */
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
