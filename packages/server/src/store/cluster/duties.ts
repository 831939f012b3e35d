import { takesWork } from '../../base/role.ts'
import type { HeldSeals } from '../../tenancy/caller-keys/kept-keys.ts'
import type { Cluster } from './cluster.ts'

/**
 * Whether this process may work on the sandbox: it takes work, or holds the key that a caller brought for the sandbox,
 * which no other process has.
 */
export function mayWorkOn({ cluster, seals }: { cluster: Cluster; seals: HeldSeals }, sandboxId: string): boolean {
  return takesWork(cluster.role) || seals.findAny(sandboxId) !== undefined
}
