import type { Member } from '@cairnstore/client'

/** Keys of the queries on the pages about people. */
export const MEMBERS = 'members'
export const GROUPS = 'groups'
export const INVITATIONS = 'invitations'

/** The roles, most powerful first, with what each may do. */
export const ROLES: readonly { value: Member['role']; label: string; about: string }[] = [
  { value: 'owner', label: 'Owner', about: 'uses all sandboxes and manages everybody' },
  { value: 'admin', label: 'Admin', about: 'uses all sandboxes and manages members' },
  { value: 'member', label: 'Member', about: 'uses own and shared sandboxes' },
  { value: 'viewer', label: 'Viewer', about: 'reads shared sandboxes' },
]

const LISTED_MAX = 1000

/** Returns the items of a list, at most 1 000. */
export async function allOf<Item>(listed: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of listed) {
    items.push(item)
    if (items.length === LISTED_MAX) break
  }
  return items
}
