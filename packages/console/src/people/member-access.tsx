import type { Connection, Group, Member, Sandbox } from '@cairnstore/client'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { chooseSandbox, clientFor, seeAs, useSession } from '../app/session.ts'
import { useSandboxes } from '../app/shared-queries.ts'
import { t } from '../language/language.ts'
import { Actions, Lines, SecondaryText } from '../parts/lines.tsx'
import { plainLine } from '../parts/plain.ts'
import { QueryView } from '../parts/states.tsx'
import { roleAbout } from './people.ts'
import { usePeople } from './use-people.ts'

/** Number of sandboxes whose grants are read concurrently. */
const CONCURRENT_REQUESTS = 6
const MAY: Readonly<Record<Connection['role'], string>> = { viewer: t('Reads'), editor: t('Reads and writes') }

interface Grant {
  sandbox: Sandbox
  connection: Connection
  /** The group through which the member has the grant; undefined if it names the member. */
  group: Group | undefined
}

interface GrantLineProps extends Grant {
  member: Member
  /** True if the member has no other grant in the sandbox. The service views a sandbox through direct grants only. */
  isOnly: boolean
}

/** Shows what a member can read: by the role, and by the grants to the member and to the member's groups. */
export function MemberAccess({ member }: { member: Member }): ReactNode {
  const { apiKey } = useSession()
  const sandboxes = useSandboxes().data?.sandboxes
  const { groups } = usePeople()
  const isLimited = member.role === 'member' || member.role === 'viewer'
  const own = sandboxes?.filter(({ is_external: isExternal }) => !isExternal) ?? []
  const belonging = groups.filter(({ member_ids: ids }) => ids.includes(member.member_id))
  const grants = useQuery({
    queryKey: ['grants', member.member_id, own.map(({ sandbox_id: id }) => id), belonging],
    queryFn: () => grantsOf(member, belonging, own, (id) => clientFor(apiKey, id).listConnections()),
    enabled: isLimited && sandboxes !== undefined,
  })
  return (
    <>
      <p>{t('By the role: {about}.', { about: roleAbout(member.role) })}</p>
      {isLimited && (
        <QueryView of={grants}>
          {(all) =>
            all.length === 0 ? (
              <p>{t('Nothing is shared with this member.')}</p>
            ) : (
              <Lines label={t('Shared with {name}', { name: plainLine(member.display_name) })}>
                {all.map((grant) => (
                  <GrantLine
                    key={grant.connection.connection_id}
                    member={member}
                    isOnly={all.filter(({ sandbox }) => sandbox === grant.sandbox).length === 1}
                    {...grant}
                  />
                ))}
              </Lines>
            )
          }
        </QueryView>
      )}
    </>
  )
}

function GrantLine({ member, isOnly, sandbox, connection, group }: GrantLineProps): ReactNode {
  const navigate = useNavigate()
  const look = () => {
    chooseSandbox(sandbox.sandbox_id)
    seeAs(member.member_id, member.display_name)
    void navigate({ to: '/' })
  }
  const what = connection.project_id ? t('one project') : t('the whole sandbox')
  return (
    <li>
      <span>
        <Link to="/projects" onClick={() => chooseSandbox(sandbox.sandbox_id)}>
          <bdi>{plainLine(sandbox.name)}</bdi>
        </Link>
        <SecondaryText>
          {MAY[connection.role]} {what}
          {group && ` · ${t('Group: {name}', { name: plainLine(group.name) })}`}
        </SecondaryText>
      </span>
      {isOnly && !group && (
        <Actions>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`${t('See what they see')}: ${plainLine(sandbox.name)}`}
            onClick={look}
          >
            {t('See what they see')}
          </Button>
        </Actions>
      )}
    </li>
  )
}

async function grantsOf(
  { member_id: memberId }: Member,
  groups: readonly Group[],
  sandboxes: readonly Sandbox[],
  list: (sandboxId: string) => Promise<Connection[]>,
): Promise<Grant[]> {
  const found: Grant[] = []
  for (let at = 0; at < sandboxes.length; at += CONCURRENT_REQUESTS) {
    const some = sandboxes.slice(at, at + CONCURRENT_REQUESTS)
    const listed = await Promise.all(some.map(({ sandbox_id: id }) => list(id)))
    for (const [index, sandbox] of some.entries()) {
      for (const connection of listed[index] ?? []) {
        const { grantee, status } = connection
        const group = groups.find(({ group_id: id }) => id === grantee?.group_id)
        if (status === 'active' && (group || grantee?.member_id === memberId))
          found.push({ sandbox, connection, group })
      }
    }
  }
  return found
}
