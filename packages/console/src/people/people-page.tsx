import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useCairn } from '../app/session.ts'
import { useCaller } from '../app/shared-queries.ts'
import { t } from '../language/language.ts'
import { Lines } from '../parts/lines.tsx'
import { Page, Sheet } from '../parts/page.tsx'
import { EmptyState, QueryView } from '../parts/states.tsx'
import { Groups } from './groups.tsx'
import { Invitations } from './invitations.tsx'
import { MemberRow } from './member-row.tsx'
import { allOf, MEMBERS } from './people.ts'

/** Lists the members of the account. Owners and admins invite people and manage members and groups here. */
export function PeoplePage(): ReactNode {
  const caller = useCaller()
  return (
    <Page title={t('People')} about={t('The members of your account, and what they may do.')}>
      <QueryView of={caller}>
        {({ role, member_id: self }) =>
          role === 'viewer' ? (
            <EmptyState title={t('Viewers cannot see the members of the account')}>
              <p>{t('Ask an admin to make you a member.')}</p>
            </EmptyState>
          ) : (
            <People self={self} isManager={role !== 'member'} />
          )
        }
      </QueryView>
    </Page>
  )
}

function People({ self, isManager }: { self: string | null; isManager: boolean }): ReactNode {
  const cairn = useCairn()
  const members = useQuery({ queryKey: [MEMBERS], queryFn: () => allOf(cairn.listMembers()) })
  return (
    <>
      <Sheet title={t('Members')}>
        <QueryView of={members}>
          {(all) =>
            all.length === 0 ? (
              <p>
                {t('Nobody has joined yet.')} {isManager && t('Invite the first person below.')}
              </p>
            ) : (
              <Lines label={t('Members')}>
                {all.map((member) => (
                  <MemberRow
                    key={member.member_id}
                    member={member}
                    isSelf={member.member_id === self}
                    isManager={isManager}
                  />
                ))}
              </Lines>
            )
          }
        </QueryView>
      </Sheet>
      {isManager && <Invitations />}
      <Groups members={members.data ?? []} isManager={isManager} />
    </>
  )
}
