import { expect, it } from 'vitest'
import { newHook } from '../../../../../../tests/harness/hook.ts'
import { onEachApp } from '../../../../../../tests/harness/test-app.ts'
import { openSigningSecrets } from './deliveries.ts'

onEachApp((app) => {
  it('a secret is cached as long as its source; a secret that failed to decrypt is not cached', async () => {
    const { cairn } = app()
    const { account, sandboxId, sourceId, path } = await newHook(app(), 'github')
    const found = await cairn.app.deliveries.sources.find(path.split('/').at(-1) as string)
    if (!found) throw new Error('The source is not there.')
    const open = openSigningSecrets(cairn.app)
    expect(await open(found)).toBeUndefined()

    const ref = `github/${sourceId}/signing`
    const source = { ...found, signingSecretRef: ref }
    const put = (value: string) =>
      cairn.app.sql.transact(account.userId, (tx) =>
        cairn.app.secrets.put(tx, { userId: account.userId, sandboxId }, ref, value),
      )
    await put('first')
    expect(await Promise.all([open(source), open(source)])).toEqual(['first', 'first'])
    await put('second')
    expect(await open(source)).toBe('first')
    expect(await open({ ...source })).toBe('second')

    const again = { ...source }
    await cairn.app.sql.transact(account.userId, (tx) =>
      tx
        .updateTable('sealed_secret')
        .set({ sealed: Buffer.from('not sealed') })
        .execute(),
    )
    await expect(open(again)).rejects.toMatchObject({ status: 503 })
    await put('third')
    expect(await open(again)).toBe('third')
  })
})
