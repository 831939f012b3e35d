import type { AccountPage } from '@cairnstore/client'
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn } from '../app/session.ts'
import { useRows } from '../app/use-rows.ts'
import { Fields, Page, Sheet } from '../parts/page.tsx'
import { Empty, Shown } from '../parts/states.tsx'
import { AccountRow } from './account-row.tsx'
import { ChainSheet } from './chain-sheet.tsx'
import { HealthSheet } from './health-sheet.tsx'
import { Once } from './once.tsx'
import classes from './operator-page.module.css'

const AT_ONCE = 50

const rowsOf = ({ accounts }: AccountPage) => accounts

/** What the admin key opens: how the service is, its accounts, and what was done. It shows nothing of any sandbox. */
export function OperatorPage(): ReactNode {
  const [chain, setChain] = useState('')
  return (
    <Page title="Operator">
      <HealthSheet />
      <Accounts onAudit={setChain} />
      <ChainSheet key={chain} chain={chain} />
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
    <Sheet title="Accounts">
      <NewAccount />
      <Shown of={listed}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="There is no account yet" />
          ) : (
            <ul className={classes.list} aria-label="Accounts">
              {rows.map((account) => (
                <AccountRow key={account.user_id} account={account} onAudit={() => onAudit(account.user_id)} />
              ))}
            </ul>
          )
        }
      </Shown>
      {listed.onMore && (
        <Button variant="default" size="compact-sm" onClick={listed.onMore}>
          Show more accounts
        </Button>
      )}
    </Sheet>
  )
}

function NewAccount(): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const [name, setName] = useState('')
  const making = useMutation({
    mutationFn: () => cairn.createAccount({ display_name: name.trim() }),
    onSuccess: () => {
      setName('')
      return known.invalidateQueries()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    making.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Fields>
        <TextInput
          label="Name of a new account"
          value={name}
          error={making.error ? sentenceOf(making.error) : undefined}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={!name.trim()} loading={making.isPending}>
          Make it
        </Button>
      </Fields>
      {making.data && <Once title="Its first key is shown only here" text={making.data.key} label="the key" />}
    </form>
  )
}
