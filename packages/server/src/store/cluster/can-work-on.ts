import { takesWork } from '../../base/role.ts'
import type { HeldKeys } from '../../tenancy/caller-keys/retained-keys.ts'
import type { Cluster } from './cluster.ts'

/** Returns true if this process takes work or holds the sandbox's customer-managed key. */
export function canWorkOn({ cluster, seals }: { cluster: Cluster; seals: HeldKeys }, sandboxId: string): boolean {
  return takesWork(cluster.role) || seals.findAny(sandboxId) !== undefined
}
