import type { Sql } from '../../db/open.ts'
import type { Caller } from '../caller.ts'
import { Reach } from './reach.ts'

/** The look-ups of one credential: the one under way, and the one that begins when it is over. */
interface LookUps {
  running: Promise<unknown>
  next: { sandboxIds: Set<string>; found: Promise<Map<string, Reach>> } | undefined
}

/**
 * Finds a caller's reach as `Reach.find` does. For one credential there is one look-up at a time; what is asked for
 * meanwhile goes together in the next, in one round trip. A look-up begins after all of it was asked for, so nobody is
 * told of a state from before the question.
 */
export function createFindTogether(): typeof Reach.find {
  const byCredential = new Map<string, LookUps>()
  return async (sql, caller, sandboxId) => {
    const key = `${caller.accountId} ${caller.credential.id}`
    const lookUps = byCredential.get(key) ?? { running: Promise.resolve(), next: undefined }
    byCredential.set(key, lookUps)
    lookUps.next ??= begin(sql, caller, lookUps)
    const { sandboxIds, found } = lookUps.next
    sandboxIds.add(sandboxId)
    try {
      return (await found).get(sandboxId)
    } finally {
      if (lookUps.running === found && !lookUps.next) byCredential.delete(key)
    }
  }
}

function begin(sql: Pick<Sql, 'look'>, caller: Caller, lookUps: LookUps) {
  const sandboxIds = new Set<string>()
  const found = lookUps.running
    .catch(() => undefined)
    // Those that come in one turn of the event loop go together.
    .then(() => new Promise(setImmediate))
    .then(() => {
      lookUps.next = undefined
      lookUps.running = found
      return Reach.findAll(sql, caller, [...sandboxIds])
    })
  return { sandboxIds, found }
}
