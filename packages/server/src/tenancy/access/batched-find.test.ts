import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Sql } from '../../db/open.ts'
import type { Caller } from '../caller.ts'
import { createBatchedFind } from './access-scope.ts'

const BY_KEY: Caller = { accountId: 'acct_a', credential: { kind: 'api_key', id: 'key_a' } }
const BY_OTHER: Caller = { accountId: 'acct_a', credential: { kind: 'api_key', id: 'key_b' } }

/** Creates a database whose look-ups complete on demand. */
function slowSql() {
  const looks: { resolve: () => void; reject: (cause: Error) => void }[] = []
  const look = <T>() => new Promise<T[]>((resolve, reject) => looks.push({ resolve: () => resolve([]), reject }))
  const sql: Pick<Sql, 'look'> = { look }
  return { sql, looks }
}

/** Waits for several iterations of the event loop, so that all other ready work completes. */
async function nextTick(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await turn()
}

test('a credential has one look-up at a time, and requests made meanwhile share the next one', async () => {
  const { sql, looks } = slowSql()
  const find = createBatchedFind()
  const asked = [find(sql, BY_KEY, 'sbx_1')]
  await nextTick()
  asked.push(find(sql, BY_KEY, 'sbx_2'), find(sql, BY_KEY, 'sbx_3'), find(sql, BY_OTHER, 'sbx_1'))
  await nextTick()
  expect(looks).toHaveLength(2)
  looks[0]!.resolve()
  await nextTick()
  expect(looks).toHaveLength(3)
  for (const each of looks) each.resolve()
  expect(await Promise.all(asked)).toEqual([undefined, undefined, undefined, undefined])
})

test('a failed look-up fails only its own requests, and the next one runs', async () => {
  const { sql, looks } = slowSql()
  const find = createBatchedFind()
  const first = find(sql, BY_KEY, 'sbx_1')
  await nextTick()
  const second = find(sql, BY_KEY, 'sbx_1')
  looks[0]!.reject(new Error('the database is away'))
  await expect(first).rejects.toThrow('away')
  await nextTick()
  looks[1]!.resolve()
  expect(await second).toBeUndefined()
})
