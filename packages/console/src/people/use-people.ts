import { useQuery } from '@tanstack/react-query'
import { useCairn } from '../app/session.ts'
import { useCaller } from '../app/shared-queries.ts'
import { allOf, GROUPS, MEMBERS } from './people.ts'

/** Returns the members and groups of the account; none for a viewer, who is not allowed to see them. */
export function usePeople() {
  const cairn = useCairn()
  const caller = useCaller().data
  const enabled = caller !== undefined && caller.role !== 'viewer'
  const members = useQuery({ queryKey: [MEMBERS], queryFn: () => allOf(cairn.listMembers()), enabled })
  const groups = useQuery({ queryKey: [GROUPS], queryFn: async () => (await cairn.listGroups()).groups, enabled })
  return { members: members.data ?? [], groups: groups.data ?? [] }
}

/** Returns a function that replaces the id of a member or group by its name. Other ids are unchanged. */
export function useGrantees(): (id: string) => string {
  const { members, groups } = usePeople()
  return (id) =>
    members.find(({ member_id: each }) => each === id)?.display_name ??
    groups.find(({ group_id: each }) => each === id)?.name ??
    id
}
