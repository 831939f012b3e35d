/** Lets one piece of work at a time go on in each sandbox, within this process; leases do so between processes. */
export interface Turns {
  /** Runs the work when what was begun before it in the sandbox has ended. */
  take<T>(sandboxId: string, work: () => Promise<T>): Promise<T>
  /** Whether work goes on in the sandbox or waits to. */
  isTaken(sandboxId: string): boolean
}

/** Turns whose work is run by `around`, once it is its turn. */
export function createTurns(around: Around = (_, work) => work()): Turns {
  const last = new Map<string, Promise<unknown>>()
  return {
    take: (sandboxId, work) => {
      const before = last.get(sandboxId)
      const turn: { ended?: Promise<unknown> } = {}
      const run = async () => {
        await before?.catch(() => undefined)
        try {
          return await around(sandboxId, work)
        } finally {
          if (last.get(sandboxId) === turn.ended) last.delete(sandboxId)
        }
      }
      const running = run()
      turn.ended = running
      last.set(sandboxId, running)
      return running
    },
    isTaken: (sandboxId) => last.has(sandboxId),
  }
}

type Around = <T>(sandboxId: string, work: () => Promise<T>) => Promise<T>
