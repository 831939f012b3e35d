import type { JsonObject } from '../../db/json-object.ts'
import type { ContentCipher, StoredKey } from './content-cipher.ts'

/** Tenant and sandbox of a retained key. */
type RetainedSandbox = Readonly<{ userId: string; sandboxId: string }>

/** Customer-managed keys that stay in memory for background work after their request has ended. */
export type RetainedKeys = ReturnType<typeof createRetainedKeys>

/** Maximum milliseconds to retain a key. Most background work takes far less. */
const RETAINED_MS_MAX = 10 * 60_000

/**
 * Creates the store of retained keys.
 * @param hasWork returns true while work in the sandbox needs the key
 * @param retainedMsMax maximum milliseconds to retain a key; unfinished work resumes when a request sends the key again
 */
export function createRetainedKeys(
  seals: HeldKeys,
  hasWork: (sandbox: RetainedSandbox) => Promise<boolean>,
  retainedMsMax = RETAINED_MS_MAX,
) {
  const retained = new Map<string, { sandbox: RetainedSandbox; epoch: number; release: () => void; sinceMs: number }>()
  const release = (sandboxId: string) => {
    retained.get(sandboxId)?.release()
    retained.delete(sandboxId)
  }
  return {
    /** Retains the sandbox's key until no work needs it. Does nothing if no request or job holds the key now. */
    retain: (sandbox: RetainedSandbox) => {
      const seal = seals.findAny(sandbox.sandboxId)
      if (!seal || retained.get(sandbox.sandboxId)?.epoch === seal.epoch) return
      release(sandbox.sandboxId)
      const { userId, sandboxId } = sandbox
      retained.set(sandboxId, {
        sandbox: { userId, sandboxId },
        epoch: seal.epoch,
        release: seals.hold(seal),
        sinceMs: performance.now(),
      })
    },
    /** Releases the keys of sandboxes without pending work, and those held past the maximum time. */
    releaseIdle: async () => {
      for (const [sandboxId, { sandbox, sinceMs }] of retained) {
        const isLate = performance.now() - sinceMs > retainedMsMax
        if (isLate || !(await hasWork(sandbox))) release(sandboxId)
      }
    },
    release,
    releaseAll: () => {
      for (const sandboxId of [...retained.keys()]) release(sandboxId)
    },
  }
}

/** Returns the stored data of a sandbox's customer-managed key; undefined for a sandbox without one. */
export function readStoredKey(column: JsonObject | null): StoredKey | undefined {
  if (column === null) return undefined
  const { commitment, public_key: publicKey, former } = column as StoredKeyColumn
  return {
    commitment: Buffer.from(commitment, 'base64'),
    publicKey: Buffer.from(publicKey, 'base64'),
    former: (former ?? []).map((each) => Buffer.from(each, 'base64')),
  }
}

type StoredKeyColumn = {
  commitment: string
  public_key: string
  former?: string[]
}

/** Returns the column value for the data of a customer-managed key. */
export function writeStoredKey({ commitment, publicKey, former }: StoredKey): JsonObject {
  return {
    commitment: commitment.toString('base64'),
    public_key: publicKey.toString('base64'),
    former: former.map((each) => each.toString('base64')),
  }
}

/** Customer-managed keys in use by requests and jobs of this process. They are stored nowhere else. */
export type HeldKeys = ReturnType<typeof createHeldKeys>

/** Creates an empty set of held keys. */
export function createHeldKeys() {
  const held = new Map<string, { seal: ContentCipher; holders: number }>()
  const waiting = new Map<string, Map<string, () => void>>()
  return {
    /** Keeps a key in memory until the returned function is called. Runs the pending `whenHeld` callbacks. */
    hold: (given: ContentCipher) => {
      const name = nameOf(given.sandboxId, given.epoch)
      const entry = held.get(name) ?? { seal: given, holders: 0 }
      entry.holders += 1
      held.set(name, entry)
      const callbacks = waiting.get(given.sandboxId)
      waiting.delete(given.sandboxId)
      for (const then of callbacks?.values() ?? []) then()
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        entry.holders -= 1
        if (entry.holders === 0) held.delete(name)
      }
    },
    /** Returns the sandbox's key of an epoch if it is held. */
    find: (sandboxId: string, epoch: number) => held.get(nameOf(sandboxId, epoch))?.seal,
    /** Returns the held key of the sandbox with the latest epoch. */
    findAny: (sandboxId: string) => {
      let latest: ContentCipher | undefined
      for (const { seal } of held.values()) {
        if (seal.sandboxId === sandboxId && seal.epoch > (latest?.epoch ?? 0)) latest = seal
      }
      return latest
    },
    sandboxIds: () => [...new Set([...held.values()].map(({ seal }) => seal.sandboxId))],
    /** Calls `then` once when the sandbox's key is next held. A later call by the same caller replaces it. */
    whenHeld: (sandboxId: string, caller: string, then: () => void) => {
      const callers = waiting.get(sandboxId) ?? new Map<string, () => void>()
      waiting.set(sandboxId, callers.set(caller, then))
    },
  }
}

function nameOf(sandboxId: string, epoch: number): string {
  return `${sandboxId}/${epoch}`
}
