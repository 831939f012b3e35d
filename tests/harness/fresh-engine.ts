import { test } from 'vitest'
import { type Engine, withClient } from '../../packages/server/src/db/engine.ts'
import { openEngine } from '../../packages/server/src/db/open.ts'
import { type EngineKind, newDatabase } from './postgres.ts'

/** Starting an engine on a busy machine takes a while. */
export const START_MS_MAX = 120_000

/** Makes tests of one kind of engine, each with an engine that is open on an empty, migrated database of its own. */
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

/** The rows that a statement without values gives. */
export async function askEngine<T>(engine: Engine, text: string): Promise<T[]> {
  return withClient(engine, async (client) => (await client.query<T>(text, [])).rows)
}
