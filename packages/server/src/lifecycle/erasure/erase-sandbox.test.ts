import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { onEachApp } from '../../../../../tests/harness/test-app.ts'
import { sha256 } from '../../base/digest.ts'
import { newId } from '../../base/id.ts'
import { sweepOrphans } from './erase-sandbox.ts'

/** The subject of a token, which is not a valid folder name. */
const ODD = 'auth0|ü/../..'

onEachApp((app) => {
  it('orphaned folders are deleted, also of accounts with unusual names, and all others stay', async () => {
    const { cairn, folder, clock } = app()
    const root = join(folder, 'knowledge')
    const odd = `sub.${sha256(ODD).toString('hex')}`
    const made = await app().admin('POST', '/api/v1/admin/accounts', { user_id: ODD, display_name: 'Odd' })
    expect(made.status).toBe(201)
    const call = (key: string, path: string, body: object) =>
      app().anonymous('POST', path, body, { authorization: `Bearer ${key}`, prefer: 'wait=30' })
    const own: string[] = []
    for (const { key, account } of [
      { key: made.body.key as string, account: odd },
      ...[await app().newAccount()].map(({ key, userId }) => ({ key, account: userId })),
    ]) {
      const { body } = await call(key, '/api/v1/storage/sandboxes', { name: 'S', owner_id: 'o' })
      await call(key, `/api/v1/storage/sandboxes/${body.sandbox_id}/ingest`, { text: 'Something to keep.' })
      own.push(join(root, account, body.sandbox_id))
    }
    const [first] = own as [string]
    const nobody = newId('sandbox', clock)
    const orphans = [
      join(root, odd, nobody),
      join(root, `sub.${'0'.repeat(64)}`, nobody),
      join(root, 'acct_gone', nobody),
      // The sandbox belongs to another account.
      join(root, 'acct_gone', first.split('/').at(-1) as string),
    ]
    for (const path of orphans) {
      mkdirSync(join(path, 'records.lance'), { recursive: true })
      writeFileSync(join(path, 'records.lance', 'data'), 'left behind')
    }
    const other = join(root, 'sub.other', nobody)
    mkdirSync(other, { recursive: true })
    await sweepOrphans(cairn.app)
    for (const path of own) expect(existsSync(path), path).toBe(true)
    for (const path of orphans) expect(existsSync(path), path).toBe(false)
    expect(existsSync(other)).toBe(true)
  })
})
