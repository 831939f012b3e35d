import type { ReactNode } from 'react'
import classes from './columns.module.css'

/** A page in two columns where there is room: what it is about, and beside it what else there is to know. */
export function Columns({ children, beside }: { children: ReactNode; beside: ReactNode }): ReactNode {
  return (
    <div className={classes.columns}>
      <div className={classes.column}>{children}</div>
      <div className={classes.column}>{beside}</div>
    </div>
  )
}
