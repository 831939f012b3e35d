import type { Overview } from '@cairnstore/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSandboxes } from '../app/sandbox-chooser.tsx'
import { useCairn, useSession } from '../app/session.ts'
import { plainLine } from '../parts/plain.ts'
import { Shown } from '../parts/states.tsx'
import { count } from '../parts/when.ts'
import type { Manner } from './conversation.ts'
import { EXAMPLE_OWNER, exampleStarters, type Starter } from './example-starters.ts'
import classes from './starters.module.css'

const NAME_CHARS = 60
const THINGS = 3

/** What can be asked first: what is in the sandbox, and questions to click. */
export function Starters({ onAsk }: { onAsk: (question: string, manner: Manner) => void }): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const overview = useQuery({ queryKey: [sandboxId, 'overview'], queryFn: () => cairn.getOverview() })
  const isExample = useSandboxes().data?.sandboxes.some(
    ({ sandbox_id: id, owner_id: owner }) => id === sandboxId && owner === EXAMPLE_OWNER,
  )
  return (
    <Shown of={overview}>
      {(known) =>
        known.record_count === 0 ? (
          <NothingYet />
        ) : (
          <section className={classes.starters}>
            <p className={classes.known}>{inNumbers(known)}</p>
            {isExample && (
              <p className={classes.known}>
                This is the example workspace: an invented company, whose “today” is 31 July 2026. Click a question,
                then a statement of its answer.
              </p>
            )}
            <ul>
              {(isExample ? exampleStarters() : startersFor(known)).map(({ question, manner }) => (
                <li key={question}>
                  <button type="button" onClick={() => onAsk(question, manner)}>
                    <bdi>{question}</bdi>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        )
      }
    </Shown>
  )
}

function NothingYet(): ReactNode {
  return (
    <section className={classes.starters}>
      <p>
        Nothing is known here yet. Bring something in, and ask about it a few seconds later: every answer shows the
        records that it rests on.
      </p>
      <p>
        <Link to="/add">Add files or a text</Link>, or <Link to="/sources">connect a source</Link>.
      </p>
    </section>
  )
}

function inNumbers({ record_count: records, sources, newest }: Overview): string {
  const from = sources.length === 1 ? '1 source' : `${count(sources.length)} sources`
  const latest = newest?.occurred_at ? `, the latest of ${newest.occurred_at.slice(0, 10)}` : ''
  return `${count(records)} records from ${from}${latest}.`
}

function startersFor({ entities, topics }: Overview): Starter[] {
  const people = entities.find(({ type }) => type === 'person')?.entities ?? []
  const things = entities.filter(({ type }) => type !== 'person').flatMap((group) => group.entities.slice(0, 1))
  const about = [...people.slice(0, 1).map(({ name }) => `Who is ${plainLine(name, NAME_CHARS)}?`)]
  for (const { name } of [...things, ...topics].slice(0, THINGS)) {
    about.push(`What is known about ${plainLine(name, NAME_CHARS)}?`)
  }
  return ['What do you know?', 'What is still open?', ...about].map((question) => ({ question, manner: {} }))
}
