import { test } from 'vitest'
import { type Engine, withClient } from '../../packages/server/src/db/engine.ts'
import { openEngine } from '../../packages/server/src/db/open.ts'
import { type EngineKind, newDatabase } from './postgres.ts'

/** Maximum start time of an engine on a busy machine, in milliseconds. */
export const START_MS_MAX = 120_000

/** Returns a `test` function for one kind of engine. Each test gets an engine on its own empty, migrated database. */
export function onFreshEngine(kind: EngineKind) {
  return (name: string, body: (engine: Engine) => Promise<void>) =>
    test(name, async () => {
      const database = await newDatabase(kind)
      const engine = await openEngine(database.target)
      try {
        await body(engine)
      } finally {
        await engine.close()
        database.remove()
      }
    })
}

/** Runs a statement without parameters and returns its rows. */
export async function askEngine<T>(engine: Engine, text: string): Promise<T[]> {
  return withClient(engine, async (client) => (await client.query<T>(text, [])).rows)
}
