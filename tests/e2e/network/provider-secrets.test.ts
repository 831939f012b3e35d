import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { secretRef } from '../../../packages/server/src/tenancy/secrets/secret-store.ts'
import { type Answer, newSandbox, onEachApp, type TestAccount, type TestSandbox } from '../../harness/test-app.ts'

const TOKEN = 'xoxb-canary-41c7'
const SIGNING = 'signing-canary-93b2'
const BOTH = { provider_credential: TOKEN, provider_signing_secret: SIGNING }
const CHARS_MAX = 8192

onEachApp((app) => {
  const open = async () => {
    const account = await app().newAccount()
    const sandbox = await newSandbox(account.call)
    const all = `${sandbox.storage}/sources`
    const register = (body: object, headers?: Record<string, string>) =>
      account.call('POST', all, { provider: 'slack', name: 'Chat', ...body }, headers)
    return { account, sandbox, all, register }
  }

  /** Returns the stored secrets of a source. */
  const kept = ({ userId }: TestAccount, { id: sandboxId }: TestSandbox, sourceId: string) =>
    app().cairn.app.sql.transact(userId, async (tx) => {
      const { secrets } = app().cairn.app
      const place = { userId, sandboxId }
      return {
        credential: await secrets.find(tx, place, secretRef('slack', sourceId, 'auth')),
        signing: await secrets.find(tx, place, secretRef('slack', sourceId, 'signing')),
      }
    })

  /** Returns every row of the account as text, with bytes as hexadecimal digits. */
  const everyRow = ({ userId }: TestAccount) =>
    app().cairn.app.sql.transact(userId, async (tx) => {
      const { rows: tables } = await sql<{ name: string }>`select distinct table_name as name
        from information_schema.columns where table_schema = 'public' and column_name = 'user_id'`.execute(tx)
      const texts: string[] = []
      for (const { name } of tables) {
        const { rows } = await sql<{ row: string }>`select to_jsonb(t)::text as row from ${sql.id(name)} t`.execute(tx)
        texts.push(...rows.map(({ row }) => row))
      }
      return texts.join('\n')
    })

  const assertAbsent = (text: string) => {
    for (const secret of [TOKEN, SIGNING]) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(Buffer.from(secret).toString('hex'))
      expect(text).not.toContain(Buffer.from(secret).toString('base64').replace(/=*$/, ''))
    }
  }

  describe('secrets of a provider', () => {
    it('are in no reply, row, stored reply, audit event or log line, only in the store', async () => {
      const { account, sandbox, all, register } = await open()
      const keyed = { 'idempotency-key': 'once' }
      const first = await register({ ...BOTH, ingestion_mode: 'realtime' }, keyed)
      expect(first.status).toBe(201)
      const id = first.body.data_source_id
      const path = `${all}/${id}`
      const replies: Answer[] = [
        first,
        await register({ ...BOTH, ingestion_mode: 'realtime' }, keyed),
        await account.call('PATCH', path, { ...BOTH, name: 'Renamed' }),
        await account.call('GET', path),
        await account.call('GET', all),
        await account.call('POST', `${path}/rotate-webhook-secret`, {}),
        await account.call('GET', `${sandbox.storage}/audit`),
        await account.call('GET', `${sandbox.storage}/export`),
        await register({ ...BOTH, adapter_config: { token: TOKEN } }),
        await register({ ...BOTH, name: 7 }),
      ]
      expect(replies.map(({ status }) => status)).toEqual([201, 201, 200, 200, 200, 200, 200, 200, 422, 422])
      for (const reply of replies) assertAbsent(JSON.stringify(reply))
      expect(await kept(account, sandbox, id)).toEqual({ credential: TOKEN, signing: SIGNING })
      const rows = await everyRow(account)
      expect(rows).toContain(`slack/${id}/auth`)
      expect(rows).toContain(`slack/${id}/signing`)
      assertAbsent(rows)
      assertAbsent(app().logged.join('\n'))
    })

    it('stay when they are omitted, are replaced by another, and are deleted with null', async () => {
      const { account, sandbox, all, register } = await open()
      const { body } = await register({ provider_credential: TOKEN, provider_signing_secret: null })
      const id = body.data_source_id
      const patch = (change: object) => account.call('PATCH', `${all}/${id}`, change)
      expect(await kept(account, sandbox, id)).toEqual({ credential: TOKEN, signing: undefined })
      await patch({ name: 'Renamed' })
      await patch({ provider_signing_secret: SIGNING })
      expect(await kept(account, sandbox, id)).toEqual({ credential: TOKEN, signing: SIGNING })
      await patch({ provider_credential: 'another' })
      expect(await kept(account, sandbox, id)).toEqual({ credential: 'another', signing: SIGNING })
      await patch({ provider_credential: null })
      await patch({ provider_credential: null })
      expect(await kept(account, sandbox, id)).toEqual({ credential: undefined, signing: SIGNING })
      expect((await everyRow(account)).includes(`slack/${id}/auth`)).toBe(false)
    })

    it('are deleted with their source, and with its purge', async () => {
      const { account, all, register } = await open()
      for (const end of ['delete', 'purge']) {
        const { body } = await register(BOTH)
        const path = `${all}/${body.data_source_id}`
        const ended =
          end === 'delete'
            ? await account.call('DELETE', path)
            : await account.call('POST', `${path}/purge`, { delete_source: true })
        expect(ended.status, end).toBe(200)
        expect(await everyRow(account), end).not.toContain(`slack/${body.data_source_id}/`)
      }
    })

    it('are stored exactly, from 1 to 8192 characters, and other values are rejected without echoing', async () => {
      const { account, sandbox, register } = await open()
      for (const provider_credential of [' x\n', '🔑'.repeat(CHARS_MAX / 2), 'x'.repeat(CHARS_MAX)]) {
        const { body } = await register({ provider_credential })
        expect((await kept(account, sandbox, body.data_source_id)).credential).toBe(provider_credential)
      }
      for (const bad of ['', '  ', `${TOKEN}${'x'.repeat(CHARS_MAX)}`, 7, [TOKEN], { token: TOKEN }]) {
        for (const name of ['provider_credential', 'provider_signing_secret']) {
          const refused = await register({ [name]: bad })
          expect(refused, name).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', name] }] } })
          assertAbsent(JSON.stringify(refused))
        }
      }
    })

    it('a signing secret is rejected for a provider that makes none', async () => {
      const { register, account, all } = await open()
      for (const provider of ['gitlab', 'email']) {
        const refused = await register({ provider, provider_signing_secret: SIGNING })
        expect(refused).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'provider_signing_secret'] }] } })
        const { body } = await register({ provider, provider_signing_secret: null })
        const path = `${all}/${body.data_source_id}`
        expect((await account.call('PATCH', path, { provider_signing_secret: SIGNING })).status).toBe(422)
      }
    })

    it('a token in the settings of any provider is rejected, without effect or log', async () => {
      const { account, all, register } = await open()
      const before = await everyRow(account)
      for (const provider of ['user_mcp', 'linear', 'slack']) {
        for (const key of ['token', 'api_key']) {
          const refused = await register({ provider, adapter_config: { base_url: 'https://x.example', [key]: TOKEN } })
          const isOwn = provider !== 'slack'
          const reason = isOwn ? 'use_secret_endpoint' : 'secret_in_config'
          expect(refused).toMatchObject({ status: 422, body: { reason } })
          expect(refused.body.detail).toContain(isOwn ? 'sources/user-mcp' : 'provider_credential')
          assertAbsent(JSON.stringify(refused))
        }
      }
      expect(await everyRow(account)).toBe(before)
      expect((await account.call('GET', all)).body.count).toBe(1)
      assertAbsent(app().logged.join('\n'))
    })
  })
})
