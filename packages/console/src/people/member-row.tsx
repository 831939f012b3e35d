import type { Member } from '@cairnstore/client'
import { Badge, Button, NativeSelect } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn } from '../app/session.ts'
import { t } from '../language/language.ts'
import { day } from '../parts/format.ts'
import { Actions, FullWidth, SecondaryText } from '../parts/lines.tsx'
import { OneTimeSecret } from '../parts/one-time-secret.tsx'
import { plainLine } from '../parts/plain.ts'
import { MemberAccess } from './member-access.tsx'
import { ROLES, roleLabel } from './people.ts'

interface MemberRowProps {
  member: Member
  isSelf: boolean
  /** True if the caller may change members. */
  isManager: boolean
}

/** Shows a member, with actions that change the role, suspend, remove or sign in the member. */
export function MemberRow({ member, isSelf, isManager }: MemberRowProps): ReactNode {
  const { display_name: name, email, status, role } = member
  const seen = member.last_seen_at
    ? t('last seen {day}', { day: day(member.last_seen_at) })
    : t('joined {day}', { day: day(member.joined_at) })
  return (
    <li>
      <span>
        <strong>
          <bdi>{plainLine(name)}</bdi>
        </strong>
        {isSelf && ` ${t('(you)')}`}{' '}
        {status === 'suspended' && (
          <Badge autoContrast color="yellow">
            {t('suspended')}
          </Badge>
        )}
        <SecondaryText>
          {email && <bdi>{plainLine(email)} · </bdi>}
          {!isManager && `${roleLabel(role)} · `}
          {seen}
        </SecondaryText>
      </span>
      {isManager && <Managing member={member} isSelf={isSelf} />}
    </li>
  )
}

function Managing({ member, isSelf }: { member: Member; isSelf: boolean }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const [isSure, setSure] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const { member_id, status, role, issuer } = member
  const name = plainLine(member.display_name)
  const onSuccess = () => known.invalidateQueries()
  const updating = useMutation({
    mutationFn: (change: { role?: Member['role']; status?: Member['status'] }) =>
      cairn.updateMember({ member_id, ...change }),
    onSuccess,
  })
  const removing = useMutation({ mutationFn: () => cairn.removeMember({ member_id }), onSuccess })
  const linking = useMutation({ mutationFn: () => cairn.createMemberCode({ member_id }) })
  const error = updating.error ?? removing.error ?? linking.error
  const isActive = status === 'active'
  return (
    <>
      <Actions>
        <NativeSelect
          size="xs"
          aria-label={t('Role of {name}', { name })}
          value={role}
          data={ROLES.map(({ value, label }) => ({ value, label }))}
          disabled={updating.isPending}
          onChange={({ currentTarget }) => updating.mutate({ role: currentTarget.value as Member['role'] })}
        />
        <Button
          size="compact-sm"
          variant="default"
          aria-expanded={isOpen}
          aria-label={`${t('What they see')}: ${name}`}
          onClick={() => setOpen(!isOpen)}
        >
          {t('What they see')}
        </Button>
        {isActive && issuer === null && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`${t('Sign-in link')}: ${name}`}
            loading={linking.isPending}
            onClick={() => linking.mutate()}
          >
            {t('Sign-in link')}
          </Button>
        )}
        {!isSelf && (
          <>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`${isActive ? t('Suspend') : t('Reactivate')}: ${name}`}
              loading={updating.isPending}
              onClick={() => updating.mutate({ status: isActive ? 'suspended' : 'active' })}
            >
              {isActive ? t('Suspend') : t('Reactivate')}
            </Button>
            <Button
              size="compact-sm"
              {...(isSure ? { color: 'red' } : { variant: 'default' })}
              aria-label={`${isSure ? t('Remove for good') : t('Remove')}: ${name}`}
              loading={removing.isPending}
              onClick={() => (isSure ? removing.mutate() : setSure(true))}
            >
              {isSure ? t('Remove for good') : t('Remove')}
            </Button>
          </>
        )}
      </Actions>
      {error && <p role="alert">{sentenceOf(error)}</p>}
      {isOpen && (
        <FullWidth>
          <MemberAccess member={member} />
        </FullWidth>
      )}
      {linking.data?.url && (
        <FullWidth>
          <OneTimeSecret
            title={t('This link signs in once, within ten minutes')}
            text={linking.data.url}
            label={t('the link')}
          />
        </FullWidth>
      )}
    </>
  )
}
