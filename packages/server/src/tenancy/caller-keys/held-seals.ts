import type { ContentSeal } from './content-seal.ts'

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
