import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { t } from '../language/language.ts'
import classes from './record-links.module.css'

/** Shows links to supporting records. */
export function RecordLinks({ ids }: { ids: readonly string[] }): ReactNode {
  return ids.map((recordId, at) => (
    <Link key={recordId} className={classes.link} to="/records/$recordId" params={{ recordId }} search={{}}>
      {at === 0 ? t('record') : at + 1}
    </Link>
  ))
}
