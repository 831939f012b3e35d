import type { ReactNode } from 'react'
import classes from './lines.module.css'

/** A list whose lines say what each is, and what can be done with it. */
export function Lines({ label, children }: { label?: string; children: ReactNode }): ReactNode {
  return (
    <ul className={classes.lines} aria-label={label}>
      {children}
    </ul>
  )
}

/** What else there is to know of a line, below what it is. */
export function Soft({ children }: { children: ReactNode }): ReactNode {
  return <span className={classes.soft}>{children}</span>
}

/** What can be done with a line. */
export function Verbs({ children }: { children: ReactNode }): ReactNode {
  return <span className={classes.verbs}>{children}</span>
}

/** What of a line is as wide as the list. */
export function Wide({ children }: { children: ReactNode }): ReactNode {
  return <div className={classes.wide}>{children}</div>
}
