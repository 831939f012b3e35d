/** What a process does: it answers requests, works on what has come, or both. */
export const ROLES = ['all', 'api', 'worker'] as const
export type Role = (typeof ROLES)[number]

/** Whether a process of the role answers requests that come to it. */
export function answers(role: Role): boolean {
  return role !== 'worker'
}

/** Whether a process of the role takes work that nobody waits for at it. */
export function takesWork(role: Role): boolean {
  return role !== 'api'
}
