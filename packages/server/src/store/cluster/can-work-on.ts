import { takesWork } from '../../base/role.ts'
import type { HeldKeys } from '../../tenancy/caller-keys/retained-keys.ts'
import type { Cluster } from './cluster.ts'

/**
 * Returns true if this process may work on the sandbox. It must take work, or hold the sandbox's customer-managed key,
 * which no other process has.
 */
export function canWorkOn({ cluster, seals }: { cluster: Cluster; seals: HeldKeys }, sandboxId: string): boolean {
  return takesWork(cluster.role) || seals.findAny(sandboxId) !== undefined
}
