import { expect, test } from 'vitest'
import { newPerson } from '../../../../../tests/harness/postgres-people.ts'
import { onEachApp } from '../../../../../tests/harness/test-app.ts'
import { newId } from '../../base/id.ts'
import type { Sql } from '../../db/open.ts'
import { AccessScope } from '../access/access-scope.ts'
import { openAuthenticator } from './authenticate.ts'
import { newApiKey, newToken } from './key-format.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const KEYS = '/api/v1/api-keys'

/** Returns a wrapper of the database that counts queries. */
function counting(sql: Sql): { sql: Sql; asked: () => number } {
  let asked = 0
  const counted: Sql = {
    ...sql,
    look: (...ask) => {
      asked += 1
      return sql.look(...ask)
    },
    transact: (...ask) => {
      asked += 1
      return sql.transact(...ask)
    },
  }
  return { sql: counted, asked: () => asked }
}

/** Returns the key with another last character, so that its checksum is wrong. */
function withTypo(key: string): string {
  return key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
}

onEachApp((app) => {
  test('a mistyped, unknown, revoked or expired key costs one look-up, like a valid one', async () => {
    const person = await newPerson(app())
    const [revoked, expired] = [
      await person.post(KEYS, { name: 'revoked' }),
      await person.post(KEYS, { name: 'expired', expires_in_days: 1 }),
    ]
    const suspended = await newPerson(app())
    await app().cairn.app.sql.transact(suspended.userId, (tx) =>
      tx.updateTable('account').set({ status: 'suspended' }).execute(),
    )
    await person.delete(`${KEYS}/${revoked.body.id}`)
    app().clock.advance(DAY_MS + 1000)
    const keys = {
      mistyped: withTypo(person.key),
      unknown: newApiKey(),
      unknownShare: newToken('connectionKey'),
      revoked: revoked.body.key,
      expired: expired.body.key,
      suspended: suspended.key,
    }
    for (const [what, key] of [...Object.entries(keys), ['good', person.key] as const]) {
      const { sql, asked } = counting(app().cairn.app.sql)
      const authenticator = openAuthenticator({ ...app().cairn.app, sql }, { adminKeyHash: null, tokens: null })
      const caller = await authenticator.authenticate(key, '127.0.0.1')
      expect(caller?.accountId, what).toBe(what === 'good' ? person.userId : undefined)
      expect(asked(), what).toBe(1)
      await authenticator.close()
    }
  })

  test('a foreign sandbox costs one look-up, like a missing one and an own one', async () => {
    const [person, other] = [await newPerson(app()), await newPerson(app())]
    const caller = {
      accountId: person.userId,
      credential: { kind: 'api_key', id: newId('key', app().clock) },
    } as const
    const [own, foreign] = [await person.newSandbox(), await other.newSandbox()]
    for (const [id, isVisible] of [
      [own, true],
      [foreign, false],
      [newId('sandbox', app().clock), false],
    ] as const) {
      const { sql, asked } = counting(app().cairn.app.sql)
      expect((await AccessScope.find(sql, caller, id)) !== undefined).toBe(isVisible)
      expect(asked()).toBe(1)
    }
  })
})
