import { type RawBuilder, sql } from 'kysely'
import type { Sql } from '../../db/open.ts'

/** A queued call of `store_answer`. */
interface Waiting {
  readonly call: RawBuilder<boolean>
  done(isStored: boolean): void
  fail(error: unknown): void
}

/** Maximum number of answers that one SQL statement stores. */
const AT_ONCE_MAX = 50

const queues = new WeakMap<Sql, Map<string, Waiting[]>>()

/**
 * Runs a call of `store_answer` and resolves once its result is on disk. Uses group commit: while a statement of an
 * account runs, further calls of that account wait, and then run together in one statement.
 */
export function writeAnswer(database: Sql, holderId: string, call: RawBuilder<boolean>): Promise<boolean> {
  const ofDatabase = queues.get(database) ?? new Map<string, Waiting[]>()
  queues.set(database, ofDatabase)
  return new Promise((done, fail) => {
    const queue = ofDatabase.get(holderId)
    if (queue) {
      queue.push({ call, done, fail })
      return
    }
    ofDatabase.set(holderId, [])
    void writeAll(database, holderId, [{ call, done, fail }], ofDatabase)
  })
}

async function writeAll(
  database: Sql,
  holderId: string,
  first: readonly Waiting[],
  queued: Map<string, Waiting[]>,
): Promise<void> {
  for (let batch = first; batch.length > 0; batch = queued.get(holderId)!.splice(0, AT_ONCE_MAX)) {
    try {
      const calls = sql.join(batch.map(({ call }) => call))
      const [row] = await database.write<{ stored: boolean[] }>(holderId, (tx) => ({
        compile: () => sql<{ stored: boolean[] }>`select array[${calls}] as stored`.compile(tx),
      }))
      batch.forEach(({ done }, at) => {
        done(row?.stored[at] ?? false)
      })
    } catch (error) {
      for (const { fail } of batch) fail(error)
    }
  }
  queued.delete(holderId)
}
