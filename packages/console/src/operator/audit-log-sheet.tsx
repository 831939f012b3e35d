import type { AuditPage } from '@cairnstore/client'
import { Button, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useCairn } from '../app/session.ts'
import { useRows } from '../app/use-rows.ts'
import { t } from '../language/language.ts'
import { moment } from '../parts/format.ts'
import { Lines, SecondaryText } from '../parts/lines.tsx'
import { Fields, Sheet } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { QueryView } from '../parts/states.tsx'
import { eventLabel } from '../parts/words.ts'

const AT_ONCE = 50

const rowsOf = ({ events }: AuditPage) => events

/** Shows the audit log of an account or sandbox, including an erased one. */
export function AuditLogSheet({ chain: given }: { chain: string }): ReactNode {
  const [typed, setTyped] = useState(given)
  const [chain, setChain] = useState(given)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChain(typed.trim())
  }
  return (
    <Sheet title={t('Audit log')}>
      <form onSubmit={submit}>
        <Fields>
          <TextInput
            label={t('Account or sandbox')}
            placeholder={t('acct_… or sbx_…')}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <Button type="submit" variant="default" disabled={!typed.trim()}>
            {t('Show')}
          </Button>
        </Fields>
      </form>
      {chain !== '' && <AuditEvents key={chain} chain={chain} />}
    </Sheet>
  )
}

function AuditEvents({ chain }: { chain: string }): ReactNode {
  const cairn = useCairn()
  const listed = useRows(
    ['chain', chain],
    (cursor) => cairn.listAuditChain({ chain, limit: AT_ONCE, ...(cursor && { cursor }) }),
    rowsOf,
  )
  return (
    <>
      <QueryView of={listed}>
        {(rows) =>
          rows.length === 0 ? (
            <p>{t('No events.')}</p>
          ) : (
            <Lines label={t('Events')}>
              {rows.map(({ seq, at, event, subject_id: subject, actor_user_id: actor }) => (
                <li key={seq}>
                  <span>
                    <strong>{eventLabel(event)}</strong> <code>{plainLine(subject ?? '')}</code>
                    <SecondaryText>
                      {moment(at)} · {t('by {actor}', { actor: plainLine(actor ?? t('the operator')) })}
                    </SecondaryText>
                  </span>
                </li>
              ))}
            </Lines>
          )
        }
      </QueryView>
      {listed.onMore && (
        <Button variant="default" size="compact-sm" onClick={listed.onMore}>
          {t('Show more')}
        </Button>
      )}
    </>
  )
}
