import type { SandboxRef } from '../sandboxes/sandbox-ref.ts'
import type { HeldSeals } from './held-seals.ts'

/** The callers' keys that work on sandboxes holds beyond the requests that brought them. */
export interface KeptKeys {
  /** Holds the sandbox's key, if anybody does, until nothing there has to be done with it any more. */
  keep(sandbox: SandboxRef): void
  /** Lets go of the keys of sandboxes in which nothing waits any more, and of those that were kept for too long. */
  releaseIdle(): Promise<void>
  /** Lets go of the sandbox's key. */
  release(sandboxId: string): void
  /** Lets go of every key. */
  releaseAll(): void
}

/**
 * @param hasWork whether something in the sandbox still needs its key
 * @param keptMsMax work that has not ended so long after the key was last brought goes on when it is brought again
 */
export function keepKeys(
  seals: HeldSeals,
  hasWork: (sandbox: SandboxRef) => Promise<boolean>,
  keptMsMax: number,
): KeptKeys {
  const kept = new Map<string, { sandbox: SandboxRef; epoch: number; release: () => void; sinceMs: number }>()
  const release = (sandboxId: string) => {
    kept.get(sandboxId)?.release()
    kept.delete(sandboxId)
  }
  return {
    keep: (sandbox) => {
      const seal = seals.findAny(sandbox.sandboxId)
      if (!seal || kept.get(sandbox.sandboxId)?.epoch === seal.epoch) return
      release(sandbox.sandboxId)
      const { userId, sandboxId } = sandbox
      kept.set(sandboxId, {
        sandbox: { userId, sandboxId },
        epoch: seal.epoch,
        release: seals.hold(seal),
        sinceMs: performance.now(),
      })
    },
    releaseIdle: async () => {
      for (const [sandboxId, { sandbox, sinceMs }] of kept) {
        const isLate = performance.now() - sinceMs > keptMsMax
        if (isLate || !(await hasWork(sandbox))) release(sandboxId)
      }
    },
    release,
    releaseAll: () => {
      for (const sandboxId of [...kept.keys()]) release(sandboxId)
    },
  }
}
