import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { firstPage } from '../app/first-page.ts'
import { useCairn, useSession } from '../app/session.ts'
import { t } from '../language/language.ts'
import { ago } from '../parts/format.ts'
import { plainLine } from '../parts/plain.ts'
import classes from './starters.module.css'

const RECENT = 5

/** Returns the query of the caller's latest answers. */
export function useRecentAnswers(limit = RECENT) {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  return useQuery({
    queryKey: [sandboxId, 'answers', 'recent', limit],
    queryFn: () => firstPage(cairn.listAnswers({ limit })),
    enabled: sandboxId !== undefined,
    staleTime: 0,
  })
}

/** Shows links to the caller's latest answers. Shows nothing if there are none. */
export function RecentAnswers(): ReactNode {
  const answers = useRecentAnswers().data?.answers ?? []
  if (answers.length === 0) return null
  return (
    <section className={classes.starters}>
      <h2 className={classes.head}>{t('Your recent answers')}</h2>
      <ul className={classes.recent}>
        {answers.map(({ answer_id: answerId, query, created_at: at }) => (
          <li key={answerId}>
            <Link to="/answers/$answerId" params={{ answerId }} search={{}}>
              <bdi>{plainLine(query)}</bdi>
            </Link>{' '}
            <span className={classes.when}>{ago(at, Date.now())}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
