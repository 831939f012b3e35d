import type { Group, Member } from '@cairnstore/client'
import { Button, MultiSelect } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn } from '../app/session.ts'
import { t } from '../language/language.ts'
import { Actions, FullWidth, Lines, SecondaryText } from '../parts/lines.tsx'
import { NameForm } from '../parts/name-form.tsx'
import { Sheet } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { QueryView } from '../parts/states.tsx'
import { GROUPS } from './people.ts'

/** Lists the groups of the account. Owners and admins create, change and delete them. */
export function Groups({ members, isManager }: { members: readonly Member[]; isManager: boolean }): ReactNode {
  const cairn = useCairn()
  const groups = useQuery({ queryKey: [GROUPS], queryFn: async () => (await cairn.listGroups()).groups })
  return (
    <Sheet title={t('Groups')}>
      <QueryView of={groups}>
        {(all) =>
          all.length === 0 ? (
            <p>{t('There are no groups yet. A sandbox can be shared with a group at once.')}</p>
          ) : (
            <Lines label={t('Groups')}>
              {all.map((group) => (
                <GroupRow key={group.group_id} group={group} members={members} isManager={isManager} />
              ))}
            </Lines>
          )
        }
      </QueryView>
      {isManager && (
        <NameForm
          label={t('Name of a new group')}
          button={t('Make the group')}
          make={(name) => cairn.createGroup({ name })}
        />
      )}
    </Sheet>
  )
}

interface GroupRowProps {
  group: Group
  members: readonly Member[]
  isManager: boolean
}

function GroupRow({ group, members, isManager }: GroupRowProps): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const { group_id, claim, member_ids: belonging } = group
  const [chosen, setChosen] = useState<string[]>()
  const name = plainLine(group.name)
  const onSuccess = () => {
    setChosen(undefined)
    return known.invalidateQueries()
  }
  const saving = useMutation({
    mutationFn: (ids: string[]) => cairn.updateGroup({ group_id, member_ids: ids }),
    onSuccess,
  })
  const deleting = useMutation({ mutationFn: () => cairn.deleteGroup({ group_id }), onSuccess })
  const error = saving.error ?? deleting.error
  const names = members.filter(({ member_id: id }) => belonging.includes(id)).map((each) => each.display_name)
  return (
    <li>
      <span>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <SecondaryText>
          {names.length === 0 ? t('no members') : plainLine(names.join(', '))}
          {claim && ` · ${t('from the sign-in provider: {claim}', { claim: plainLine(claim) })}`}
        </SecondaryText>
      </span>
      {isManager && (
        <Actions>
          {claim === null && (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`${t('Change members')}: ${name}`}
              onClick={() => setChosen(chosen ? undefined : [...belonging])}
            >
              {t('Change members')}
            </Button>
          )}
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`${t('Delete')}: ${name}`}
            loading={deleting.isPending}
            onClick={() => deleting.mutate()}
          >
            {t('Delete')}
          </Button>
        </Actions>
      )}
      {error && <p role="alert">{sentenceOf(error)}</p>}
      {chosen && (
        <FullWidth>
          <MultiSelect
            label={t('Members of {name}', { name })}
            value={chosen}
            data={members.map(({ member_id: value, display_name: label }) => ({ value, label: plainLine(label) }))}
            onChange={setChosen}
          />
          <Button mt="xs" loading={saving.isPending} onClick={() => saving.mutate(chosen)}>
            {t('Save')}
          </Button>
        </FullWidth>
      )}
    </li>
  )
}
