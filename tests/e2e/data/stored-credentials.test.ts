import { afterEach, beforeEach, expect, it } from 'vitest'
import { newSandbox, onEachApp, type TestAccount, type TestSandbox } from '../../harness/test-app.ts'
import { openToolServer, type ToolServer } from '../../harness/tool-server.ts'

const SECRET = 'canary-token-7d41'
const REFUSED = { data_source_id: null, status: null, error: 'token_required' }

onEachApp(
  (app) => {
    let account: TestAccount
    let sandbox: TestSandbox
    let server: ToolServer
    let other: ToolServer
    beforeEach(async () => {
      account = await app().newAccount()
      sandbox = await newSandbox(account.call)
      server = await openToolServer()
      other = await openToolServer()
    })
    afterEach(async () => {
      await server.close()
      await other.close()
    })
    const source = async (id: string) => (await account.call('GET', `${sandbox.storage}/sources/${id}`)).body

    it('a tool server never gets a token that was given for another address', async () => {
      const { call } = account
      const header = { auth_kind: 'header_token', auth_header: 'X-Tool-Key' }
      for (const kind of [{ auth_kind: 'bearer' }, header]) {
        const tools = { name: 'Tools', base_url: server.url, ...kind, token: SECRET }
        const { body: made } = await call('POST', `${sandbox.storage}/sources/user-mcp`, tools)
        const change = (body: object) =>
          call('PATCH', `${sandbox.storage}/sources/${made.data_source_id}/user-mcp`, body)
        const before = await source(made.data_source_id)
        const elsewhere = [{ token: null, name: 'X' }, header].map((more) => ({ base_url: other.url, ...more }))
        for (const one of [{ base_url: other.url }, { base_url: `${server.url}/other` }, ...elsewhere]) {
          expect(await change(one)).toMatchObject({ status: 400, body: REFUSED })
        }
        expect(await source(made.data_source_id)).toEqual(before)
        expect(other.asked).toEqual([])
        // A different spelling of the same address is not a change.
        expect((await change({ base_url: server.url.replace('http:', 'HTTP:') })).status).toBe(200)
        expect((await change({ base_url: other.url, token: 'another' })).body.status).toBe('active')
        expect(JSON.stringify(other.asked)).not.toContain(SECRET)
        other.asked.length = 0
      }
      const open = { name: 'Open', base_url: server.url, auth_kind: 'none', app_namespace: 'open' }
      const { body: made } = await call('POST', `${sandbox.storage}/sources/user-mcp`, open)
      const path = `${sandbox.storage}/sources/${made.data_source_id}/user-mcp`
      expect((await call('PATCH', path, { base_url: other.url })).body.status).toBe('active')
    })

    it('an API never gets a credential that was given for another address', async () => {
      const { call } = account
      for (const provider of ['github', 'slack']) {
        const adapter_config = { base_url: 'https://one.example/api/v3' }
        const given = { provider, name: provider, adapter_config, provider_credential: SECRET }
        const { body: made } = await call('POST', `${sandbox.storage}/sources`, given)
        const path = `${sandbox.storage}/sources/${made.data_source_id}`
        const next = { adapter_config: { base_url: 'https://two.example/api/v3' } }
        for (const [url, body] of [
          [path, next],
          [`${path}?merge_adapter_config=true`, next],
          // Without an address, the product's default address is used.
          [path, { adapter_config: {} }],
        ] as const) {
          const refused = await call('PATCH', url, body)
          expect(refused).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'provider_credential'] }] } })
        }
        expect((await source(made.data_source_id)).adapter_config).toEqual(adapter_config)
        expect((await call('PATCH', path, { ...next, provider_credential: 'another' })).status).toBe(200)
        expect((await call('PATCH', path, { adapter_config: {}, provider_credential: null })).status).toBe(200)
        expect((await call('PATCH', path, { adapter_config })).status).toBe(200)
      }
    })
  },
  { CAIRN_ALLOW_LOOPBACK: 'on' },
)
