import type { Overview } from '@cairnstore/client'
import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSession } from '../app/session.ts'
import { useAccess, useOverview, useSandboxes } from '../app/shared-queries.ts'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'
import { day, recordsOf } from '../parts/format.ts'
import { plainLine } from '../parts/plain.ts'
import { QueryView } from '../parts/states.tsx'
import type { SearchOptions } from './conversation.ts'
import { EXAMPLE_OWNER, EXAMPLE_TODAY, exampleStarters, type Starter } from './example-starters.ts'
import classes from './starters.module.css'

const ENTITY_STARTERS_MAX = 3

/** Returns the default search options. For the example workspace they include its reference date. */
export function useDefaultOptions(): SearchOptions {
  return useIsExample() ? EXAMPLE_OPTIONS : {}
}

const EXAMPLE_OPTIONS: SearchOptions = { reference_date: EXAMPLE_TODAY }

/** Returns true if the current sandbox is the example workspace. */
function useIsExample(): boolean {
  const { sandboxId } = useSession()
  const { sandboxes = [] } = useSandboxes().data ?? {}
  return sandboxes.some(({ sandbox_id: id, owner_id: owner }) => id === sandboxId && owner === EXAMPLE_OWNER)
}

/** Shows what the sandbox contains, with suggested questions. */
export function Starters({ onAsk }: { onAsk: (question: string, manner: SearchOptions) => void }): ReactNode {
  const overview = useOverview()
  const isExample = useIsExample()
  return (
    <QueryView of={overview}>
      {(known) =>
        known.record_count === 0 ? (
          <NothingYet />
        ) : (
          <section className={classes.starters}>
            {isExample && (
              <p className={classes.known}>
                {t('This is the example workspace: a small fictional company, where today is 31 July 2026.')}{' '}
                {t('Click a question, then a statement of its answer.')}
              </p>
            )}
            <h2 className={classes.head}>{t('Try one of these')}</h2>
            <ul>
              {(isExample ? exampleStarters() : startersFor(known)).map(({ question, manner }) => (
                <li key={question}>
                  <button type="button" onClick={() => onAsk(question, manner)}>
                    <bdi>{question}</bdi>
                    <ArrowRight />
                  </button>
                </li>
              ))}
            </ul>
            <p className={classes.numbers}>{inNumbers(known)}</p>
          </section>
        )
      }
    </QueryView>
  )
}

function NothingYet(): ReactNode {
  const isViewer = useAccess() === 'viewer'
  if (isViewer) return <p className={classes.starters}>{t('Nothing is stored in this sandbox yet.')}</p>
  return (
    <section className={classes.starters}>
      <p>
        {t('This sandbox is empty. Add content and ask about it a few seconds later.')}{' '}
        {t('Each answer shows the records that support it.')}
      </p>
      <p>
        {rich('{add}, or {connect}.', {
          add: <Link to="/add">{t('Add files or a text')}</Link>,
          connect: <Link to="/sources">{t('connect a source')}</Link>,
        })}
      </p>
    </section>
  )
}

function inNumbers({ record_count: records, sources, newest }: Overview): string {
  const from = t('{n} source|{n} sources', { n: sources.length })
  const latest = newest?.occurred_at ? t(', the latest of {day}', { day: day(newest.occurred_at) }) : ''
  return t('{records} from {sources}{latest}.', { records: recordsOf(records), sources: from, latest })
}

function startersFor({ entities, topics }: Overview): Starter[] {
  const people = entities.find(({ type }) => type === 'person')?.entities ?? []
  const firstEntities = entities.filter(({ type }) => type !== 'person').flatMap((group) => group.entities.slice(0, 1))
  const about = [...people.slice(0, 1).map(({ name }) => t('Who is {name}?', { name: plainLine(name) }))]
  for (const { name } of [...firstEntities, ...topics].slice(0, ENTITY_STARTERS_MAX)) {
    about.push(t('What is known about {name}?', { name: plainLine(name) }))
  }
  return [t('What do you know?'), t('What is still open?'), ...about].map((question) => ({ question, manner: {} }))
}
