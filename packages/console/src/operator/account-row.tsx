import type { Account } from '@cairnstore/client'
import { Badge, Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn } from '../app/session.ts'
import { t } from '../language/language.ts'
import { day } from '../parts/format.ts'
import { Actions, FullWidth, SecondaryText } from '../parts/lines.tsx'
import { OneTimeSecret } from '../parts/one-time-secret.tsx'
import { plainLine } from '../parts/plain.ts'

const KEY_NAME = t('Made by the operator')

/** Shows an account with the operator's actions. */
export function AccountRow({ account, onAudit }: { account: Account; onAudit: () => void }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const [isErasing, setErasing] = useState(false)
  const { user_id, display_name: name, status } = account
  const linking = useMutation({ mutationFn: () => cairn.createAccountConsoleCode({ user_id }) })
  const keying = useMutation({ mutationFn: () => cairn.createAccountKey({ user_id, name: KEY_NAME }) })
  const pausing = useMutation({
    mutationFn: () => (status === 'active' ? cairn.suspendAccount({ user_id }) : cairn.reactivateAccount({ user_id })),
    onSuccess: () => known.invalidateQueries(),
  })
  const error = linking.error ?? keying.error ?? pausing.error
  const verbs = [
    [t('Sign-in link'), () => linking.mutate(), linking.isPending],
    [t('New key'), () => keying.mutate(), keying.isPending],
    [status === 'active' ? t('Suspend') : t('Reactivate'), () => pausing.mutate(), pausing.isPending],
    [t('Audit'), onAudit, false],
    [t('Erase'), () => setErasing(!isErasing), false],
  ] as const
  return (
    <li>
      <span>
        <strong>
          <bdi>{plainLine(name)}</bdi>
        </strong>{' '}
        {status === 'suspended' && (
          <Badge autoContrast color="yellow">
            {t('suspended')}
          </Badge>
        )}
        <SecondaryText>
          <code>{plainLine(user_id)}</code> · {t('since {day}', { day: day(account.created_at) })}
        </SecondaryText>
      </span>
      <Actions>
        {verbs.map(([verb, act, isPending]) => (
          <Button
            key={verb}
            size="compact-sm"
            variant="default"
            aria-label={`${verb}: ${plainLine(name)}`}
            loading={isPending}
            onClick={act}
          >
            {verb}
          </Button>
        ))}
      </Actions>
      {error && <p role="alert">{sentenceOf(error)}</p>}
      {linking.data?.url && (
        <FullWidth>
          <OneTimeSecret
            title={t('This link signs in once, within ten minutes')}
            text={linking.data.url}
            label={t('the link')}
          />
        </FullWidth>
      )}
      {keying.data?.key && (
        <FullWidth>
          <OneTimeSecret text={keying.data.key} label={t('the key')} />
        </FullWidth>
      )}
      {isErasing && (
        <FullWidth>
          <Erase account={account} />
        </FullWidth>
      )}
    </li>
  )
}

/** Erases an account with all its data, after the user has typed its name. */
function Erase({ account: { user_id, display_name: name } }: { account: Account }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const [typed, setTyped] = useState('')
  const erasing = useMutation({
    mutationFn: () => cairn.deleteAccount({ user_id }),
    onSuccess: () => known.invalidateQueries(),
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        erasing.mutate()
      }}
    >
      <p>
        {t('This permanently deletes its sandboxes with all their content.')}{' '}
        {t('Its keys and its access to shared sandboxes are deleted too.')}
      </p>
      <TextInput
        label={t('Type “{name}” to erase it', { name: plainLine(name) })}
        value={typed}
        autoComplete="off"
        error={erasing.error ? sentenceOf(erasing.error) : undefined}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <Button type="submit" color="red" mt="xs" disabled={typed !== name} loading={erasing.isPending}>
        {t('Erase it for good')}
      </Button>
    </form>
  )
}
