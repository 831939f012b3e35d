import type { ReactNode } from 'react'
import classes from './page.module.css'

/** A page's title with what can be done beside it, and the page below. */
export function Page({ title, beside, children }: { title: ReactNode; beside?: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.page}>
      <div className={classes.top}>
        <h1>{title}</h1>
        {beside && <div className={classes.beside}>{beside}</div>}
      </div>
      {children}
    </div>
  )
}

/** Fields side by side where there is room. */
export function Fields({ children }: { children: ReactNode }): ReactNode {
  return <div className={classes.fields}>{children}</div>
}

/** A framed part of a page. */
export function Sheet({ title, children }: { title?: ReactNode; children: ReactNode }): ReactNode {
  return (
    <section className={classes.sheet}>
      {title && <h2>{title}</h2>}
      {children}
    </section>
  )
}
