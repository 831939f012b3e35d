import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useCairn, useSession } from '../app/session.ts'
import { t } from '../language/language.ts'
import { QueryView } from '../parts/states.tsx'
import type { QuestionTurn } from './conversation.ts'
import classes from './why-found.module.css'

/** Number of results among which the record is searched. */
const ITEMS = 100
/** Explanations of the ranking signals. */
const SIGNALS: Readonly<Record<string, string>> = {
  words: t('it contains words of the question'),
  proximity: t('these words are close together'),
  feedback: t('it shares terms with the best records'),
  names: t('it mentions entities named in the question'),
  bridges: t('it is linked to a better record'),
  conversation: t('it is part of a conversation about the topic'),
  time: t('it is from the time in the question'),
  meaning: t('its meaning is similar to the question'),
}

/** Shows why the ranking found a record, with the score of each signal. It is loaded when opened. */
export function WhyFound({
  turn: { question, manner, history },
  recordId,
}: {
  turn: QuestionTurn
  recordId: string
}): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const [isOpen, setOpen] = useState(false)
  const { reference_date, project_id } = manner
  const parameters = {
    query: question,
    reference_date,
    project_id,
    ...(history.length > 0 && { history: [...history] }),
  }
  const found = useQuery({
    queryKey: [sandboxId, 'why', parameters],
    queryFn: () => cairn.discover({ ...parameters, limit: ITEMS, explain: true }),
    enabled: isOpen,
  })
  return (
    <details className={classes.why} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('Why this record')}</summary>
      {isOpen && (
        <QueryView of={found}>
          {({ items }) => <Signals of={items.find(({ record_id: id }) => id === recordId)?.why} />}
        </QueryView>
      )}
    </details>
  )
}

function Signals({ of: why = {} }: { of?: Record<string, number> | undefined }): ReactNode {
  const given = Object.entries(why)
    .filter(([, value]) => value > 0)
    .sort(([, one], [, other]) => other - one)
  const most = given[0]?.[1] ?? 0
  if (most === 0)
    return (
      <p>
        {t('This record did not match the question itself. The answer follows a link to it from a record that did.')}
      </p>
    )
  return (
    <dl>
      {given.map(([name, value]) => (
        <div key={name}>
          <dt>{SIGNALS[name] ?? name}</dt>
          <dd>
            <meter value={value} max={most} aria-label={name} /> {value.toFixed(2)}
          </dd>
        </div>
      ))}
    </dl>
  )
}
