import { setTimeout as sleep } from 'node:timers/promises'

/** Work side by side, so that one piece that waits for its store keeps no other waiting. */
interface Lanes {
  /** Begins the work, which never rejects; resolves when the next may begin. */
  begin(work: () => Promise<void>): Promise<void>
  /** Resolves when nothing is at work. */
  readonly stopped: Promise<unknown>
}

interface Widths {
  /** Pieces of work that hold a lane at once. */
  lanes: number
  /** Work that lasts longer waits for something: it goes on without its lane, */
  laneMsMax: number
  /** unless so many have gone on so: each costs the memory of its batch. */
  slowMax: number
}

/** Lanes in which nothing is at work. */
export function createLanes({ lanes, laneMsMax, slowMax }: Widths): Lanes {
  const working = new Set<Promise<void>>()
  const held = new Set<Promise<void>>()
  return {
    begin: async (work) => {
      const done = work().finally(() => working.delete(done))
      working.add(done)
      const ended = new AbortController()
      const lane = Promise.race([done, sleep(laneMsMax, undefined, { signal: ended.signal })]).finally(() => {
        ended.abort()
        held.delete(lane)
      })
      held.add(lane)
      if (held.size >= lanes) await Promise.race(held)
      if (working.size >= lanes + slowMax) await Promise.race(working)
    },
    get stopped() {
      return Promise.all(working)
    },
  }
}
