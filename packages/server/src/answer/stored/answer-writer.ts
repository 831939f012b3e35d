import { type RawBuilder, sql } from 'kysely'
import type { Sql } from '../../db/open.ts'

/** A call of `store_answer` that waits for its turn. */
interface Waiting {
  readonly call: RawBuilder<boolean>
  done(isStored: boolean): void
  fail(error: unknown): void
}

/** Answers that one statement stores. */
const AT_ONCE_MAX = 50

const queues = new WeakMap<Sql, Map<string, Waiting[]>>()

/**
 * Runs a call of `store_answer`, and resolves once its result is on disk. Calls of one account that come while another
 * of its calls is written are written together after it, so that many questions at once wait for few writes.
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
