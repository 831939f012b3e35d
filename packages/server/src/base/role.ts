/** Roles of a process: `api` answers requests, `worker` does background work, and `all` does both. */
export const ROLES = ['all', 'api', 'worker'] as const
export type Role = (typeof ROLES)[number]

/** Returns true if a process of the role answers requests. */
export function answers(role: Role): boolean {
  return role !== 'worker'
}

/** Returns true if a process of the role does background work. */
export function takesWork(role: Role): boolean {
  return role !== 'api'
}
