import type { ReactNode } from 'react'
import classes from './lines.module.css'

/** Shows a list whose items have a description and actions. */
export function Lines({ label, children }: { label?: string; children: ReactNode }): ReactNode {
  return (
    <ul className={classes.lines} aria-label={label}>
      {children}
    </ul>
  )
}

/** Shows secondary text below the title of an item. */
export function SecondaryText({ children }: { children: ReactNode }): ReactNode {
  return <span className={classes.soft}>{children}</span>
}

/** Shows the actions of an item. */
export function Actions({ children }: { children: ReactNode }): ReactNode {
  return <span className={classes.verbs}>{children}</span>
}

/** Shows content of an item at the full width of the list. */
export function FullWidth({ children }: { children: ReactNode }): ReactNode {
  return <div className={classes.wide}>{children}</div>
}
