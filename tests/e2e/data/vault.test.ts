import { afterAll, beforeEach, expect, it } from 'vitest'
import type { Clock } from '../../../packages/server/src/base/clock.ts'
import { openVault, sweepVault } from '../../../packages/server/src/tenancy/secrets/vault.ts'
import { newSandbox, onEachApp } from '../../harness/test-app.ts'
import { TestClock } from '../../harness/test-clock.ts'
import { openVaultServer, VAULT_TOKEN } from '../../harness/vault-server.ts'

/** The vault uses the clock of the app. */
let appClock: Clock = new TestClock()
const clock: Clock = { now: () => appClock.now() }
const vault = await openVaultServer(clock)
afterAll(() => vault.close())
beforeEach(() => {
  vault.mood = 'well'
})

const MINUTE_MS = 60_000
const UNAVAILABLE = { status: 503, body: { error: 'unavailable' } }

onEachApp(
  (app) => {
    beforeEach(() => {
      appClock = app().clock
    })
    const start = async () => {
      const account = await app().newAccount()
      const { storage } = await newSandbox(account.call)
      const register = (credential: string, more: object = {}) =>
        account.call('POST', `${storage}/sources`, {
          provider: 'github',
          name: 'Code',
          provider_credential: credential,
          ...more,
        })
      return { ...account, storage, register }
    }
    const opened = (userId: string, sourceId: string, sandboxId: string, purpose = 'auth') => {
      const { sql, secrets } = app().cairn.app
      return sql.transact(userId, (tx) => secrets.find(tx, { userId, sandboxId }, `github/${sourceId}/${purpose}`))
    }
    const valuesOf = (path: string) => vault.held.get(`cairn/${path}`)?.map(({ value }) => value)
    const rowsOf = (userId: string) =>
      app().cairn.app.sql.transact(userId, (tx) => tx.selectFrom('sealed_secret').selectAll().execute())
    /** Advances the clock by a minute and deletes unreferenced secrets. */
    const sweep = async () => {
      app().clock.advance(MINUTE_MS)
      const place = { address: vault.url, mount: 'secret', prefix: 'cairn', namespace: null }
      await sweepVault(app().cairn.app, openVault(place, VAULT_TOKEN))
    }

    it('a secret is stored only in the vault, under the reference in the source', async () => {
      const { userId, register } = await start()
      const { status, body } = await register('ghp-canary-1')
      expect(status).toBe(201)
      const path = `github/${body.data_source_id}/auth`
      expect(valuesOf(path)).toEqual([{ value: 'ghp-canary-1' }])
      expect(await opened(userId, body.data_source_id, body.sandbox_id)).toBe('ghp-canary-1')
      const [row] = await rowsOf(userId)
      expect(row).toMatchObject({ ref: path, vault_version: 1 })
      expect(row?.sealed).toHaveLength(0)
      expect(JSON.stringify(body) + app().logged.join()).not.toContain('ghp-canary-1')
      expect(vault.refused).toBe(0)
    })

    it('a changed secret is another version, and the previous one is destroyed', async () => {
      const { userId, call, storage, register } = await start()
      const { body: source } = await register('ghp-first')
      const path = `github/${source.data_source_id}/auth`
      const change = { provider_credential: 'ghp-second' }
      expect((await call('PATCH', `${storage}/sources/${source.data_source_id}`, change)).status).toBe(200)
      expect(await opened(userId, source.data_source_id, source.sandbox_id)).toBe('ghp-second')
      await sweep()
      expect(valuesOf(path)).toEqual([null, { value: 'ghp-second' }])
      expect(await opened(userId, source.data_source_id, source.sandbox_id)).toBe('ghp-second')
      expect(await rowsOf(userId)).toMatchObject([{ vault_settled: true }])
    })

    it('secrets are deleted from the vault with their field, source or sandbox', async () => {
      const { userId, call, storage, register } = await start()
      const one = (await register('ghp-one', { provider_signing_secret: 'signs' })).body
      const other = (await register('ghp-other')).body
      const [auth, signing] = ['auth', 'signing'].map((purpose) => `github/${one.data_source_id}/${purpose}`)
      await call('PATCH', `${storage}/sources/${one.data_source_id}`, { provider_signing_secret: null })
      expect(await opened(userId, one.data_source_id, one.sandbox_id, 'signing')).toBeUndefined()
      await sweep()
      expect([valuesOf(auth!)?.length, valuesOf(signing!)]).toEqual([1, [null]])
      await call('DELETE', `${storage}/sources/${one.data_source_id}`)
      await sweep()
      expect(valuesOf(auth!)).toEqual([null])
      await sweep()
      expect(valuesOf(auth!)).toBeUndefined()
      expect((await call('DELETE', storage)).status).toBe(200)
      await sweep()
      expect(valuesOf(`github/${other.data_source_id}/auth`)).toBeUndefined()
      expect(await rowsOf(userId)).toEqual([])
    })

    it('a secret left by a failed request is removed from the vault', async () => {
      const { register } = await start()
      const before = new Set(vault.held.keys())
      expect((await register('ghp-kept')).status).toBe(201)
      vault.held.set('cairn/github/src_left/auth', [
        { value: { value: 'ghp-left' }, createdAt: clock.now(), isDestroyed: false },
      ])
      await sweep()
      const after = [...vault.held.keys()].filter((path) => !before.has(path))
      expect(after).toHaveLength(1)
      expect(valuesOf(after[0]!.replace('cairn/', ''))).toEqual([{ value: 'ghp-kept' }])
    })

    it('a vault that is down, sealed or slow gives 503 in time, and nothing is registered', async () => {
      const { call, storage, userId, register } = await start()
      const nothing = async () => {
        expect((await call('GET', `${storage}/sources`)).body.count).toBe(1)
        expect(await rowsOf(userId)).toEqual([])
      }
      vault.mood = 'sealed'
      expect(await register('ghp-down')).toMatchObject(UNAVAILABLE)
      await nothing()
      vault.mood = 'slow'
      const slow = await register('ghp-slow')
      expect(slow).toMatchObject(UNAVAILABLE)
      expect(Number(slow.headers['retry-after'])).toBeLessThanOrEqual(2)
      await nothing()
      vault.mood = 'well'
      expect((await register('ghp-well')).status).toBe(201)
    })

    it('a lagging replica is retried, three times at most', async () => {
      const { userId, register } = await start()
      vault.mood = { missedReads: 3 }
      const { status, body } = await register('ghp-late')
      expect(status).toBe(201)
      vault.mood = { missedReads: 3 }
      expect(await opened(userId, body.data_source_id, body.sandbox_id)).toBe('ghp-late')
      vault.mood = { missedReads: 4 }
      expect(await register('ghp-never')).toMatchObject(UNAVAILABLE)
    })
  },
  { CAIRN_VAULT_ADDR: vault.url, CAIRN_VAULT_TOKEN: VAULT_TOKEN },
)
