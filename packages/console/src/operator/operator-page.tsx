import type { AccountPage } from '@cairnstore/client'
import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useCairn } from '../app/session.ts'
import { useRows } from '../app/use-rows.ts'
import { t } from '../language/language.ts'
import { Lines } from '../parts/lines.tsx'
import { NameForm } from '../parts/name-form.tsx'
import { OneTimeSecret } from '../parts/one-time-secret.tsx'
import { Page, Sheet } from '../parts/page.tsx'
import { EmptyState, QueryView } from '../parts/states.tsx'
import { AccountRow } from './account-row.tsx'
import { AuditLogSheet } from './audit-log-sheet.tsx'
import { HealthSheet } from './health-sheet.tsx'

const AT_ONCE = 50

const rowsOf = ({ accounts }: AccountPage) => accounts

/** Shows the health of the service, its accounts and audit logs. The admin key gives no access to sandboxes. */
export function OperatorPage(): ReactNode {
  const [chain, setChain] = useState('')
  return (
    <Page title={t('Operator')} about={t('The service and its accounts. The admin key gives no access to sandboxes.')}>
      <HealthSheet />
      <Accounts onAudit={setChain} />
      <AuditLogSheet key={chain} chain={chain} />
    </Page>
  )
}

function Accounts({ onAudit }: { onAudit: (chain: string) => void }): ReactNode {
  const cairn = useCairn()
  const listed = useRows(
    ['accounts'],
    (cursor) => cairn.listAccounts({ limit: AT_ONCE, ...(cursor && { cursor }) }),
    rowsOf,
  )
  return (
    <Sheet title={t('Accounts')}>
      <QueryView of={listed}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title={t('There is no account yet')} />
          ) : (
            <Lines label={t('Accounts')}>
              {rows.map((account) => (
                <AccountRow key={account.user_id} account={account} onAudit={() => onAudit(account.user_id)} />
              ))}
            </Lines>
          )
        }
      </QueryView>
      {listed.onMore && (
        <Button variant="default" size="compact-sm" onClick={listed.onMore}>
          {t('Show more accounts')}
        </Button>
      )}
      <NewAccount />
    </Sheet>
  )
}

function NewAccount(): ReactNode {
  const cairn = useCairn()
  return (
    <NameForm
      label={t('Name of a new account')}
      button={t('Make the account')}
      make={(display_name) => cairn.createAccount({ display_name })}
    >
      {({ key }) =>
        key && (
          <OneTimeSecret title={t('Copy its first key now. It is shown only once')} text={key} label={t('the key')} />
        )
      }
    </NameForm>
  )
}
