import type { JsonObject } from '../../db/json-object.ts'
import type { ContentSeal, KeptKey } from './content-seal.ts'

/** Which sandbox a key is kept for, under which tenant. */
type KeptSandbox = Readonly<{ userId: string; sandboxId: string }>

/** The callers' keys that work on sandboxes holds beyond the requests that brought them. */
export interface KeptKeys {
  /** Holds the sandbox's key, if anybody does, until nothing there has to be done with it any more. */
  keep(sandbox: KeptSandbox): void
  /** Lets go of the keys of sandboxes in which nothing waits any more, and of those that were kept for too long. */
  releaseIdle(): Promise<void>
  /** Lets go of the sandbox's key. */
  release(sandboxId: string): void
  /** Lets go of every key. */
  releaseAll(): void
}

/** Most work in a sandbox has ended long before. */
const KEPT_MS_MAX = 10 * 60_000

/**
 * @param hasWork whether something in the sandbox still needs its key
 * @param keptMsMax work that has not ended so long after the key was last brought goes on when it is brought again
 */
export function keepKeys(
  seals: HeldSeals,
  hasWork: (sandbox: KeptSandbox) => Promise<boolean>,
  keptMsMax = KEPT_MS_MAX,
): KeptKeys {
  const kept = new Map<string, { sandbox: KeptSandbox; epoch: number; release: () => void; sinceMs: number }>()
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

/** What a sandbox's row stores about its caller's key; undefined for a sandbox without one. */
export function readKeptKey(column: JsonObject | null): KeptKey | undefined {
  if (column === null) return undefined
  const { commitment, public_key: publicKey, former } = column as KeptColumn
  return {
    commitment: Buffer.from(commitment, 'base64'),
    publicKey: Buffer.from(publicKey, 'base64'),
    former: (former ?? []).map((each) => Buffer.from(each, 'base64')),
  }
}

type KeptColumn = {
  commitment: string
  public_key: string
  former?: string[]
}

/** Converts it to the columns of the row. */
export function writeKeptKey({ commitment, publicKey, former }: KeptKey): JsonObject {
  return {
    commitment: commitment.toString('base64'),
    public_key: publicKey.toString('base64'),
    former: former.map((each) => each.toString('base64')),
  }
}

/** The keys that requests and jobs of this process hold at the moment; nothing else remembers one. */
export interface HeldSeals {
  /** Holds the key until what is returned is called; whoever waited for it is told. */
  hold(seal: ContentSeal): () => void
  /** The sandbox's key, when somebody holds it. */
  find(sandboxId: string, epoch: number): ContentSeal | undefined
  /** The sandbox's latest key of those that somebody holds. */
  findAny(sandboxId: string): ContentSeal | undefined
  /** The sandboxes whose keys are held by a request or job. */
  sandboxIds(): string[]
  /** Calls `then` once when the sandbox's key is held next; a second call by the same caller takes its place. */
  whenHeld(sandboxId: string, caller: string, then: () => void): void
}

/** No key is held yet. */
export function createHeldSeals(): HeldSeals {
  const held = new Map<string, { seal: ContentSeal; holders: number }>()
  const waiting = new Map<string, Map<string, () => void>>()
  return {
    hold: (given) => {
      const name = nameOf(given.sandboxId, given.epoch)
      const entry = held.get(name) ?? { seal: given, holders: 0 }
      entry.holders += 1
      held.set(name, entry)
      const told = waiting.get(given.sandboxId)
      waiting.delete(given.sandboxId)
      for (const then of told?.values() ?? []) then()
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        entry.holders -= 1
        if (entry.holders === 0) held.delete(name)
      }
    },
    find: (sandboxId, epoch) => held.get(nameOf(sandboxId, epoch))?.seal,
    findAny: (sandboxId) => {
      let latest: ContentSeal | undefined
      for (const { seal } of held.values()) {
        if (seal.sandboxId === sandboxId && seal.epoch > (latest?.epoch ?? 0)) latest = seal
      }
      return latest
    },
    sandboxIds: () => [...new Set([...held.values()].map(({ seal }) => seal.sandboxId))],
    whenHeld: (sandboxId, caller, then) => {
      const callers = waiting.get(sandboxId) ?? new Map<string, () => void>()
      waiting.set(sandboxId, callers.set(caller, then))
    },
  }
}

function nameOf(sandboxId: string, epoch: number): string {
  return `${sandboxId}/${epoch}`
}
