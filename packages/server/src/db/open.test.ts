import { expect, test } from 'vitest'
import { onEachEngine } from '../../../../tests/harness/postgres.ts'

onEachEngine((sql) => {
  test('works', async () => {
    expect(await sql().transact(null, (tx) => tx.selectFrom('account').selectAll().execute())).toEqual([])
  })
})
