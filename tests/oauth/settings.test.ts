import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AuthorizationServer, openAuthorizationServer } from '../harness/authorization-server.ts'
import { type Consenting, openConsenting } from '../harness/consenting.ts'
import { onEachApp, type TestApp } from '../harness/test-app.ts'

const PUBLIC_URL = 'https://cairn.example.com'
const DOCUMENT = `${PUBLIC_URL}/api/v1/oauth/client.json`
const CALLBACK = `${PUBLIC_URL}/api/v1/oauth/callback`
const CLIENT = { client_id: 'of-the-operator', client_secret: 'a-secret-of-the-operator' }

let serving: TestApp | undefined
/** Started before the service, because the service's settings contain the addresses of these servers. */
const documented = await openAuthorizationServer({
  documentOf: async () => (await serving!.anonymous('GET', '/api/v1/oauth/client.json')).body,
})
const configured = await openAuthorizationServer({
  clients: [
    {
      ...CLIENT,
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
  ],
})
const ALIAS = 'https://known.example/oauth'
const SETTINGS = [
  {
    issuer: configured.issuer,
    metadata_issuer: ALIAS,
    ...CLIENT,
    assume_pkce: true,
    send_resource: false,
    authorization_params: { access_type: 'offline' },
  },
]

afterAll(async () => {
  await documented.close()
  await configured.close()
})

onEachApp(
  (app) => {
    let at: Consenting
    const use = async (as: AuthorizationServer) => {
      serving = app()
      at = await openConsenting(app(), as)
    }
    afterEach(() => at.hosted.close())

    describe('a service with a public address', () => {
      beforeEach(() => use(documented))

      it('identifies itself by its document, which contains its own address, and registers nowhere', async () => {
        const { status, body } = await app().anonymous('GET', '/api/v1/oauth/client.json')
        expect([status, body]).toMatchObject([
          200,
          { client_id: DOCUMENT, redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' },
        ])
        const id = await at.connected()
        expect(documented.tokenRequests.at(-1)?.get('client_id')).toBe(DOCUMENT)
        expect(documented.count('/reg')).toBe(0)
        expect(await at.pull(id)).toMatchObject({ status: 'completed' })
      })
    })

    describe('settings of the operator for an authorization server', () => {
      beforeEach(() => use(configured))
      afterEach(() => {
        configured.metadata = (document) => document
      })

      it('are its client, alternative name, parameters and omissions', async () => {
        configured.metadata = ({ code_challenge_methods_supported: _, ...document }) => ({ ...document, issuer: ALIAS })
        const { status, body } = await at.registerReading()
        expect([status, body.authorization.issuer]).toEqual([201, ALIAS])
        const url = new URL(body.authorization.url)
        expect([url.searchParams.get('client_id'), url.searchParams.get('access_type')]).toEqual([
          CLIENT.client_id,
          'offline',
        ])
        expect([url.searchParams.has('resource'), url.searchParams.has('code_challenge')]).toEqual([false, true])
        const sentTo = new URL(await configured.consent(url.href))
        sentTo.searchParams.set('iss', ALIAS)
        const path = `${sentTo.pathname}${sentTo.search}`
        const page = await app().anonymous('GET', path, undefined, { accept: 'text/html' })
        const sent = { code: at.codeOn(page) }
        const done = await at.call('POST', `${at.path(body.data_source_id)}/authorize/complete`, sent)
        expect(done.body.authorization).toMatchObject({ state: 'authorized', issuer: ALIAS })
        expect([configured.count('/reg'), configured.tokenRequests[0]?.has('resource')]).toEqual([0, false])
      })

      it('allow no third name', async () => {
        configured.metadata = (document) => ({ ...document, issuer: 'https://third.example' })
        const { status, body } = await at.register()
        expect([status, body.error]).toEqual([400, 'oauth_issuer_mismatch'])
      })
    })
  },
  { CAIRN_ALLOW_LOOPBACK: 'on', CAIRN_PUBLIC_URL: PUBLIC_URL, CAIRN_OAUTH_CLIENTS: JSON.stringify(SETTINGS) },
)
