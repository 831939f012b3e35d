import type { ReactNode } from 'react'
import classes from './columns.module.css'

/** Shows two columns if there is space: the main content, and a sidebar. */
export function Columns({ children, beside }: { children: ReactNode; beside: ReactNode }): ReactNode {
  return (
    <div className={classes.columns}>
      <div className={classes.column}>{children}</div>
      <div className={classes.column}>{beside}</div>
    </div>
  )
}
