import type { Invitation, Member } from '@cairnstore/client'
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn } from '../app/session.ts'
import { t } from '../language/language.ts'
import { day } from '../parts/format.ts'
import { Actions, Lines, SecondaryText } from '../parts/lines.tsx'
import { OneTimeSecret } from '../parts/one-time-secret.tsx'
import { Fields, Sheet } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { QueryView } from '../parts/states.tsx'
import { allOf, INVITATIONS, ROLES, roleLabel } from './people.ts'

/** Creates invitation links, and lists and withdraws the open ones. */
export function Invitations(): ReactNode {
  const cairn = useCairn()
  const invitations = useQuery({ queryKey: [INVITATIONS], queryFn: () => allOf(cairn.listInvitations()) })
  return (
    <Sheet title={t('Invite somebody')}>
      <NewInvitation />
      <QueryView of={invitations}>
        {(all) => (
          <Lines label={t('Open invitations')}>
            {all
              .filter(({ status }) => status === 'open')
              .map((invitation) => (
                <InvitationRow key={invitation.invitation_id} invitation={invitation} />
              ))}
          </Lines>
        )}
      </QueryView>
    </Sheet>
  )
}

function NewInvitation(): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Member['role']>('member')
  const inviting = useMutation({
    mutationFn: () => cairn.createInvitation({ role, ...(email.trim() && { email: email.trim() }) }),
    onSuccess: () => {
      setEmail('')
      return known.invalidateQueries({ queryKey: [INVITATIONS] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    inviting.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Fields>
        <TextInput
          label={t('E-mail address (optional)')}
          description={t('No mail is sent. What was shared with this address is the person’s after joining.')}
          type="email"
          autoComplete="off"
          value={email}
          error={inviting.error ? sentenceOf(inviting.error) : undefined}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        />
        <NativeSelect
          label={t('Role')}
          miw="min(100%, 18rem)"
          value={role}
          data={ROLES.map(({ value, label, about }) => ({ value, label: `${label}: ${about}` }))}
          onChange={({ currentTarget }) => setRole(currentTarget.value as Member['role'])}
        />
        <Button type="submit" loading={inviting.isPending}>
          {t('Make a link')}
        </Button>
      </Fields>
      {inviting.data && (
        <OneTimeSecret
          title={t('Send this link to the person. It works once, for 7 days, and is not shown again')}
          text={inviting.data.url ?? ''}
          label={t('the invitation link')}
        />
      )}
    </form>
  )
}

function InvitationRow({ invitation }: { invitation: Invitation }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const { invitation_id, email, role, expires_at: until } = invitation
  const withdrawing = useMutation({
    mutationFn: () => cairn.deleteInvitation({ invitation_id }),
    onSuccess: () => known.invalidateQueries({ queryKey: [INVITATIONS] }),
  })
  const name = email ? plainLine(email) : t('Anybody with the link')
  return (
    <li>
      <span>
        <bdi>{name}</bdi>
        <SecondaryText>
          {t('joins as {role}', { role: roleLabel(role) })} · {t('expires {when}', { when: day(until) })}
        </SecondaryText>
      </span>
      <Actions>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`${t('Withdraw')}: ${name}`}
          loading={withdrawing.isPending}
          onClick={() => withdrawing.mutate()}
        >
          {t('Withdraw')}
        </Button>
      </Actions>
      {withdrawing.error && <p role="alert">{sentenceOf(withdrawing.error)}</p>}
    </li>
  )
}
