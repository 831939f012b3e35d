import type { Member } from '@cairnstore/client'
import { Badge, Button, NativeSelect } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn } from '../app/session.ts'
import { day } from '../parts/format.ts'
import { Actions, FullWidth, SecondaryText } from '../parts/lines.tsx'
import { OneTimeSecret } from '../parts/one-time-secret.tsx'
import { plainLine } from '../parts/plain.ts'
import { ROLES } from './people.ts'

interface MemberRowProps {
  member: Member
  isSelf: boolean
  /** True if the caller may change members. */
  isManager: boolean
}

/** Shows a member, with actions that change the role, suspend, remove or sign in the member. */
export function MemberRow({ member, isSelf, isManager }: MemberRowProps): ReactNode {
  const { display_name: name, email, status, role } = member
  const seen = member.last_seen_at ? `last seen ${day(member.last_seen_at)}` : `joined ${day(member.joined_at)}`
  return (
    <li>
      <span>
        <strong>
          <bdi>{plainLine(name)}</bdi>
        </strong>
        {isSelf && ' (you)'}{' '}
        {status === 'suspended' && (
          <Badge autoContrast color="yellow">
            suspended
          </Badge>
        )}
        <SecondaryText>
          {email && <bdi>{plainLine(email)} · </bdi>}
          {!isManager && `${role} · `}
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
          aria-label={`Role of ${name}`}
          value={role}
          data={ROLES.map(({ value, label }) => ({ value, label }))}
          disabled={updating.isPending}
          onChange={({ currentTarget }) => updating.mutate({ role: currentTarget.value as Member['role'] })}
        />
        {isActive && issuer === null && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Sign-in link: ${name}`}
            loading={linking.isPending}
            onClick={() => linking.mutate()}
          >
            Sign-in link
          </Button>
        )}
        {!isSelf && (
          <>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`${isActive ? 'Suspend' : 'Reactivate'}: ${name}`}
              loading={updating.isPending}
              onClick={() => updating.mutate({ status: isActive ? 'suspended' : 'active' })}
            >
              {isActive ? 'Suspend' : 'Reactivate'}
            </Button>
            <Button
              size="compact-sm"
              {...(isSure ? { color: 'red' } : { variant: 'default' })}
              aria-label={`${isSure ? 'Remove for good' : 'Remove'}: ${name}`}
              loading={removing.isPending}
              onClick={() => (isSure ? removing.mutate() : setSure(true))}
            >
              {isSure ? 'Remove for good' : 'Remove'}
            </Button>
          </>
        )}
      </Actions>
      {error && <p role="alert">{sentenceOf(error)}</p>}
      {linking.data?.url && (
        <FullWidth>
          <OneTimeSecret title="This link signs in once, within ten minutes" text={linking.data.url} label="the link" />
        </FullWidth>
      )}
    </>
  )
}
