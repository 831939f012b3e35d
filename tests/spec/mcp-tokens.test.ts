import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentAt } from '../harness/agent.ts'
import { type Call, newSandbox, onEachApp, type TestSandbox } from '../harness/test-app.ts'
import { sign, startIssuer } from '../harness/token-issuer.ts'

const ISSUER = 'https://id.example.org/'
const AUDIENCE = 'cairn'
const HEADER = { alg: 'ES256', kid: 'one' }
const HOUR_SECONDS = 3_600
const READ = 'cairn:read'
const BOTH = 'openid cairn:read cairn:write'

describe('tokens of an issuer at the MCP endpoint', async () => {
  const issuer = await startIssuer()
  const key = await issuer.newKey('one')
  afterAll(() => issuer.close())

  onEachApp(
    (app) => {
      let sandbox: TestSandbox
      let other: TestSandbox

      const callWith = async (claims: object): Promise<Call> => {
        const now = Math.floor(app().clock.now().getTime() / 1000)
        const all = { iss: ISSUER, aud: AUDIENCE, sub: 'user|1', iat: now, exp: now + HOUR_SECONDS, ...claims }
        const authorization = `Bearer ${await sign(all, HEADER, key)}`
        return (method, path, body, headers) => app().anonymous(method, path, body, { authorization, ...headers })
      }
      const doorOf = ({ id }: TestSandbox) => `${app().cairn.app.publicUrl}/mcp/${id}`
      const statusAt = async (claims: object, { id }: TestSandbox) =>
        (await agentAt(await callWith(claims), `/mcp/${id}`).send('tools/list')).status

      beforeAll(async () => {
        const call = await callWith({})
        sandbox = await newSandbox(call)
        other = await newSandbox(call, 'Another')
      })

      it('the metadata document names the issuer and the scopes, and is identical for an unknown id', async () => {
        const { body } = await app().anonymous('GET', `/.well-known/oauth-protected-resource/mcp/${sandbox.id}`)
        expect(body).toEqual({
          resource: doorOf(sandbox),
          resource_name: 'Cairn',
          authorization_servers: [ISSUER],
          scopes_supported: ['cairn:read', 'cairn:write'],
          bearer_methods_supported: ['header'],
        })
        const nobodys = `${sandbox.id.slice(0, -1)}${sandbox.id.endsWith('0') ? '1' : '0'}`
        const { body: foreign } = await app().anonymous('GET', `/.well-known/oauth-protected-resource/mcp/${nobodys}`)
        expect(foreign).toEqual({ ...body, resource: foreign.resource })
      })

      it('a token with the read scope lists and calls no writing tool; one with both scopes does', async () => {
        const reading = agentAt(await callWith({ scope: READ }), `/mcp/${sandbox.id}`)
        const writing = agentAt(await callWith({ scp: BOTH.split(' ') }), `/mcp/${sandbox.id}`)
        expect(await reading.tools()).not.toContain('remember')
        expect(await writing.tools()).toContain('remember')
        expect(await writing.text('remember', { text: 'The mill is closed.' })).toMatch(/^Stored/)
        expect(
          (await reading.send('tools/call', { name: 'remember', arguments: { text: 'x' } })).body.error,
        ).toBeDefined()
        expect(await reading.text('search', { query: 'mill' })).toContain('The mill is closed.')
      })

      it('a token without the read scope is rejected, and the missing scope is named', async () => {
        for (const scope of [undefined, 'openid', 'cairn:write']) {
          const { status, headers, body } = await agentAt(await callWith({ scope }), `/mcp/${sandbox.id}`).send('ping')
          expect([status, body.reason]).toEqual([403, 'insufficient_scope'])
          expect(headers['www-authenticate']).toBe(
            `Bearer error="insufficient_scope", scope="cairn:read", resource_metadata="${app().cairn.app.publicUrl}` +
              `/.well-known/oauth-protected-resource/mcp/${sandbox.id}"`,
          )
        }
      })

      it('a token for one endpoint gives access to no other', async () => {
        const claims = { aud: doorOf(sandbox), scope: BOTH }
        expect(await statusAt(claims, sandbox)).toBe(200)
        expect(await statusAt(claims, other)).toBe(401)
        const call = await callWith(claims)
        expect((await call('GET', sandbox.storage)).status).toBe(401)
        expect((await call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(401)
        expect(await statusAt({ aud: AUDIENCE, scope: BOTH }, other)).toBe(200)
        expect(await statusAt({ aud: 'https://elsewhere.example/mcp', scope: BOTH }, sandbox)).toBe(401)
      })

      it('a token with the read scope cannot write over HTTP; one without scopes can', async () => {
        const reading = await callWith({ scope: READ })
        expect((await reading('GET', sandbox.storage)).status).toBe(200)
        for (const path of [`${sandbox.storage}/ingest`, '/api/v1/api-keys']) {
          const { status, body } = await reading('POST', path, { text: 'x', name: 'x' })
          expect([path, status, body.reason]).toEqual([path, 403, 'insufficient_scope'])
        }
        const own = await callWith({ scope: 'openid' })
        expect((await own('POST', `${sandbox.storage}/ingest`, { text: 'x' })).status).toBe(202)
      })
    },
    { CAIRN_JWT_ISSUER: ISSUER, CAIRN_JWT_AUDIENCE: AUDIENCE, CAIRN_JWT_JWKS_URL: issuer.url },
  )
})
