import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { onEachEngine } from '../harness/postgres.ts'
import { newSandbox, openTestApp, type TestApp } from '../harness/test-app.ts'

onEachEngine((sql, kind) => {
  it('the service starts only with the master key of its data, or changes to a new one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-key-'))
    const [old, fresh] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
    let app: TestApp | undefined
    const open = async (key: string, previous = '') => {
      await app?.cairn.close()
      app = undefined
      const env = { CAIRN_DATA: folder, CAIRN_MASTER_KEY: key, CAIRN_MASTER_KEY_PREVIOUS: previous }
      app = await openTestApp(sql(), kind, env)
      return app
    }
    try {
      const { newAccount } = await open(old)
      const { userId, call } = await newAccount()
      const { id: sandboxId, storage } = await newSandbox(call)
      const given = { provider: 'slack', name: 'Chat', provider_credential: 'xoxb-1' }
      const { body } = await call('POST', `${storage}/sources`, given)
      const credential = ({ cairn: { app: planes } }: TestApp) =>
        planes.sql.transact(userId, (tx) =>
          planes.secrets.find(tx, { userId, sandboxId }, `slack/${body.data_source_id}/auth`),
        )
      await expect(open(fresh)).rejects.toThrow(/^The master key is not the one/)
      expect(await credential(await open(old))).toBe('xoxb-1')
      const changed = await open(fresh, ` ${old} `)
      expect(await credential(changed)).toBe('xoxb-1')
      expect(changed.logged.join()).toContain('data keys re-encrypted with the current master key')
      expect(await credential(await open(fresh))).toBe('xoxb-1')
      await expect(open(old)).rejects.toThrow(/^The master key is not the one/)
      await expect(open(fresh, 'no key')).rejects.toThrow(/CAIRN_MASTER_KEY_PREVIOUS must hold 32 bytes/)
    } finally {
      await app?.cairn.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
