import { takesWork } from '../base/role.ts'
import type { Planes } from '../store/planes.ts'
import type { KeptKeys } from '../tenancy/caller-keys/kept-keys.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import type { WaitingLine } from './waiting-line.ts'

/** Work that is for another process is done here when that has not taken it by then. */
const ELSEWHERE_MS = 1_000

/** Puts sandboxes in line for their turns. */
interface Waking {
  /** Whether the sandbox is worked on in this process. */
  isHere(sandboxId: string): boolean
  /** Puts it in line for a moment of `performance.now()`. */
  at(sandbox: SandboxRef, dueMs: number): void
  /** Puts it in line for now, or for when its place would have begun; not in a process that takes no work. */
  inPlace(sandbox: SandboxRef): void
}

/** What is put in line keeps its key, if somebody holds that. */
export function createWaking(
  { cluster, seals }: Pick<Planes, 'cluster' | 'seals'>,
  line: WaitingLine,
  keys: Pick<KeptKeys, 'keep'>,
): Waking {
  // A sandbox under a key is worked on where somebody holds that.
  const isHere = (sandboxId: string) => cluster.isHere(sandboxId) || seals.findAny(sandboxId) !== undefined
  const at: Waking['at'] = ({ userId, sandboxId }, dueMs) => {
    keys.keep({ userId, sandboxId })
    line.add({ userId, sandboxId }, dueMs)
  }
  return {
    isHere,
    at,
    inPlace: (sandbox) => {
      if (isHere(sandbox.sandboxId)) at(sandbox, 0)
      else if (takesWork(cluster.role)) at(sandbox, performance.now() + ELSEWHERE_MS)
    },
  }
}
