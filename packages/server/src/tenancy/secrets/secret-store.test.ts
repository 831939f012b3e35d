import { describe, expect, it } from 'vitest'
import { onEachEngine } from '../../../../../tests/harness/postgres.ts'
import { TestClock } from '../../../../../tests/harness/test-clock.ts'
import { newId } from '../../base/id.ts'
import { toConfig } from '../../config/config.ts'
import { readSecrets, type WrappingKeys } from '../../config/secrets.ts'
import { insertAccount } from '../accounts/store.ts'
import { newDataKey } from './encrypt.ts'
import { adoptMasterKey } from './master-key.ts'
import { openSecretStore, type SecretScope, secretRef } from './secret-store.ts'

const VALUE = 'xoxb-canary-8d1f'

function keysOf(master: Buffer, ...previous: Buffer[]): WrappingKeys {
  const env = {
    CAIRN_MASTER_KEY: master.toString('base64'),
    CAIRN_MASTER_KEY_PREVIOUS: previous.map((key) => key.toString('base64')).join(', '),
    CAIRN_ADMIN_KEY: 'an-admin-key-of-the-tests',
  }
  return readSecrets(env, toConfig(env)).wrappingKeys
}

onEachEngine((sql) => {
  const clock = new TestClock()
  const [first, second, third] = [newDataKey(), newDataKey(), newDataKey()] as const
  const ref = secretRef('slack', 'src_1', 'auth')

  async function newPlace(userId: string = newId('account', clock)): Promise<SecretScope> {
    const sandboxId = newId('sandbox', clock)
    const times = { created_at: clock.now(), updated_at: clock.now() }
    await sql().transact(userId, async (tx) => {
      const known = await tx.selectFrom('account').select('user_id').where('user_id', '=', userId).executeTakeFirst()
      if (!known) await insertAccount(tx, userId, 'Secrets', clock.now())
      const sandbox = { user_id: userId, id: sandboxId, owner_id: 'o', name: sandboxId, tier: 'free' as const }
      const rest = { storage_provider_type: 'platform_s3' as const, key_fingerprint: null, ...times }
      await tx
        .insertInto('sandbox')
        .values({ ...sandbox, ...rest })
        .execute()
    })
    return { userId, sandboxId }
  }

  const storeWith = (keys: WrappingKeys) => {
    const store = openSecretStore({ clock, keys })
    return {
      put: (place: SecretScope, name: string, value: string) =>
        sql().transact(place.userId, (tx) => store.put(tx, place, name, value)),
      find: (place: SecretScope, name = ref) => sql().transact(place.userId, (tx) => store.find(tx, place, name)),
      destroy: (place: SecretScope) => sql().transact(place.userId, (tx) => store.destroy(tx, place, ref)),
    }
  }

  describe('the secret store', () => {
    it('returns the latest value, and nothing after it is destroyed', async () => {
      const store = storeWith(keysOf(first))
      const place = await newPlace()
      expect(await store.find(place)).toBeUndefined()
      await store.put(place, ref, 'old')
      await store.put(place, ref, VALUE)
      await store.put(place, secretRef('slack', 'src_1', 'signing'), 'another')
      expect(await store.find(place)).toBe(VALUE)
      expect(await store.destroy(place)).toBe(true)
      expect(await store.destroy(place)).toBe(false)
      expect(await store.find(place)).toBeUndefined()
      expect(await store.find(place, secretRef('slack', 'src_1', 'signing'))).toBe('another')
    })

    it('stores no value in plaintext, and one data key per account, also for concurrent puts', async () => {
      const store = storeWith(keysOf(first))
      const place = await newPlace()
      const other = await newPlace(place.userId)
      await Promise.all([place, other, place, other].map((one, at) => store.put(one, `slack/${at}/auth`, VALUE)))
      const rows = await sql().transact(place.userId, async (tx) => ({
        keys: await tx.selectFrom('data_key').selectAll().execute(),
        secrets: await tx.selectFrom('sealed_secret').selectAll().execute(),
      }))
      expect(rows.keys).toHaveLength(1)
      expect(rows.secrets).toHaveLength(4)
      for (const { sealed } of rows.secrets) expect(sealed.includes(VALUE)).toBe(false)
      expect(await store.find(other, 'slack/3/auth')).toBe(VALUE)
    })

    it('a row copied to another reference or sandbox cannot be decrypted and is 503', async () => {
      const store = storeWith(keysOf(first))
      const place = await newPlace()
      const other = await newPlace(place.userId)
      await store.put(place, ref, VALUE)
      await sql().transact(place.userId, async (tx) => {
        const row = await tx.selectFrom('sealed_secret').selectAll().executeTakeFirstOrThrow()
        const copies = [
          { ...row, ref: 'slack/src_2/auth' },
          { ...row, sandbox_id: other.sandboxId },
        ]
        await tx.insertInto('sealed_secret').values(copies).execute()
      })
      expect(await store.find(place)).toBe(VALUE)
      await expect(store.find(place, 'slack/src_2/auth')).rejects.toMatchObject({ status: 503 })
      await expect(store.find(other)).rejects.toMatchObject({ status: 503 })
    })
  })

  describe('the master key', () => {
    it('is recorded at the first start; another one is rejected with a message and changes nothing', async () => {
      const planes = { sql: sql(), clock }
      expect(await adoptMasterKey(planes, keysOf(first))).toEqual({ rewrapped: 0, broken: 0 })
      expect(await adoptMasterKey(planes, keysOf(first))).toEqual({ rewrapped: 0, broken: 0 })
      await expect(adoptMasterKey(planes, keysOf(second))).rejects.toThrow(/not the one that encrypted this database/)
      await expect(adoptMasterKey(planes, keysOf(second, third))).rejects.toThrow(/CAIRN_MASTER_KEY_PREVIOUS/)
      expect(await adoptMasterKey(planes, keysOf(first))).toEqual({ rewrapped: 0, broken: 0 })
    })

    it('is rotated by setting the old one once; afterwards the old one is not needed', async () => {
      const planes = { sql: sql(), clock }
      const place = await newPlace()
      await storeWith(keysOf(first)).put(place, ref, VALUE)
      await expect(storeWith(keysOf(second)).find(place)).rejects.toMatchObject({ status: 503 })
      const { rewrapped } = await adoptMasterKey(planes, keysOf(second, third, first))
      expect(rewrapped).toBeGreaterThan(0)
      expect(await storeWith(keysOf(second)).find(place)).toBe(VALUE)
      expect(await adoptMasterKey(planes, keysOf(second))).toEqual({ rewrapped: 0, broken: 0 })
      await expect(storeWith(keysOf(first)).find(place)).rejects.toMatchObject({ status: 503 })
      await expect(adoptMasterKey(planes, keysOf(first))).rejects.toThrow(/not the one/)
    })

    it('of a data key that an old process created late is requested at the next start', async () => {
      const planes = { sql: sql(), clock }
      const place = await newPlace()
      await storeWith(keysOf(first)).put(place, ref, VALUE)
      await expect(adoptMasterKey(planes, keysOf(second))).rejects.toThrow(/still needed/)
      expect(await adoptMasterKey(planes, keysOf(second, first))).toEqual({ rewrapped: 1, broken: 0 })
      expect(await storeWith(keysOf(second)).find(place)).toBe(VALUE)
    })

    it('a swapped data key of another account decrypts nothing and blocks nobody', async () => {
      const store = storeWith(keysOf(second))
      const [place, thief] = [await newPlace(), await newPlace()]
      await store.put(place, ref, VALUE)
      await store.put(thief, ref, 'theirs')
      const { wrapped } = await sql().transact(place.userId, (tx) =>
        tx.selectFrom('data_key').selectAll().executeTakeFirstOrThrow(),
      )
      await sql().transact(thief.userId, (tx) => tx.updateTable('data_key').set({ wrapped }).execute())
      await expect(store.find(thief)).rejects.toMatchObject({ status: 503 })
      const { broken } = await adoptMasterKey({ sql: sql(), clock }, keysOf(third, second))
      expect(broken).toBe(1)
      expect(await storeWith(keysOf(third)).find(place)).toBe(VALUE)
    })
  })
})
