import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import { Copied } from '../parts/copied.tsx'
import classes from './operator-page.module.css'

/** A secret that is shown this once. */
export function Once({ title, text, label }: { title: string; text: string | null; label: string }): ReactNode {
  return (
    <Alert color="teal" title={title} className={classes.once}>
      <Copied text={text ?? ''} label={label} />
    </Alert>
  )
}
