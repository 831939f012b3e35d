import type { Member } from '@cairnstore/client'
import { t } from '../language/language.ts'

/** Keys of the queries on the pages about people. */
export const MEMBERS = 'members'
export const GROUPS = 'groups'
export const INVITATIONS = 'invitations'

/** The roles, most powerful first, with what each may do. */
export const ROLES: readonly { value: Member['role']; label: string; about: string }[] = [
  { value: 'owner', label: t('Owner'), about: t('uses all sandboxes and manages everybody') },
  { value: 'admin', label: t('Admin'), about: t('uses all sandboxes and manages members') },
  { value: 'member', label: t('Member'), about: t('uses own and shared sandboxes') },
  { value: 'viewer', label: t('Viewer'), about: t('reads shared sandboxes') },
]

/** Returns the name of a role. */
export function roleLabel(role: Member['role']): string {
  return ROLES.find(({ value }) => value === role)?.label ?? role
}

/** Returns what a role allows. */
export function roleAbout(role: Member['role']): string {
  return ROLES.find(({ value }) => value === role)?.about ?? ''
}

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
