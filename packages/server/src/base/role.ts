/** Roles of a process: `api` answers requests, `worker` does background work, and `all` does both. */
export const ROLES = ['all', 'api', 'worker'] as const
export type Role = (typeof ROLES)[number]

export function answers(role: Role): boolean {
  return role !== 'worker'
}

export function takesWork(role: Role): boolean {
  return role !== 'api'
}
