import { expect, it } from 'vitest'
import { newSandbox, onEachApp } from '../harness/test-app.ts'

const SANDBOXES = '/api/v1/storage/sandboxes'
const PROFILE = '/api/v1/users/me/profile'
const FOREIGN = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }

onEachApp(
  (app) => {
    it('every reply forbids content sniffing, framing, scripts and caching', async () => {
      const { call } = await app().newAccount()
      const { storage } = await newSandbox(call)
      const replies = [
        await call('GET', PROFILE),
        await call('GET', '/none'),
        await call('POST', SANDBOXES, '{'),
        await call('PUT', SANDBOXES, {}),
        await call('GET', `${storage}/export`),
        await app().anonymous('GET', PROFILE),
        await app().anonymous('GET', '/healthz'),
      ]
      for (const { headers } of replies) {
        expect(headers).toMatchObject({
          'cache-control': 'no-store',
          'content-security-policy': expect.stringContaining("default-src 'none'"),
          'cross-origin-resource-policy': 'same-origin',
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
          'x-frame-options': 'DENY',
        })
        for (const name of ['server', 'x-powered-by', 'via', 'strict-transport-security']) {
          expect(headers).not.toHaveProperty(name)
        }
      }
      expect(JSON.stringify((await app().anonymous('GET', '/healthz')).body)).toBe('{"status":"ok"}')
      expect(JSON.stringify((await app().anonymous('GET', '/readyz')).body)).toBe('{"status":"ok"}')
    })

    it('no other origin is allowed', async () => {
      const { key } = await app().newAccount()
      for (const url of [SANDBOXES, PROFILE, '/healthz', '/docs']) {
        const preflight = await app().cairn.http.inject({ method: 'OPTIONS', url, headers: FOREIGN })
        expect(preflight.statusCode, url).toBe(405)
        expect(preflight.headers.allow).toContain('GET')
        const authorization = `Bearer ${key}`
        const read = await app().cairn.http.inject({ method: 'GET', url, headers: { ...FOREIGN, authorization } })
        expect(read.statusCode).toBe(200)
        for (const { headers } of [preflight, read]) {
          expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
        }
      }
    })

    it('the page at /docs may run its own scripts and connect only to this service', async () => {
      const { headers, body } = await app().anonymous('GET', '/docs')
      const policy = headers['content-security-policy']
      expect(policy).toContain("script-src 'self'")
      expect(policy).toContain("connect-src 'self'")
      expect(policy).not.toMatch(/script-src[^;]*unsafe|https?:|\*/)
      expect(body).not.toMatch(/<script>|\son\w+=|https?:\/\//)
      const parts = [...body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, part]) => part)
      expect(parts).toEqual(['/docs/reference.js', '/docs/start.js'])
      // By default the library loads its vendor's fonts, counts visits and offers their services.
      const { body: start } = await app().anonymous('GET', '/docs/start.js')
      expect(start).toMatch(/withDefaultFonts: false,\s+telemetry: false,\s+agent: { disabled: true }/)
    })

    it('X-Forwarded headers from an unknown proxy are ignored', async () => {
      const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example', 'x-forwarded-for': '1.1.1.1' }
      const inject = (remoteAddress: string) =>
        app().cairn.http.inject({ method: 'GET', url: '/healthz', headers, remoteAddress })
      expect((await inject('192.0.2.1')).headers).not.toHaveProperty('strict-transport-security')
      expect((await inject('10.1.2.3')).headers['strict-transport-security']).toBe('max-age=31536000')
    })

    it('webhook addresses contain the actual port', async () => {
      const { call } = await app().newAccount()
      const { storage } = await newSandbox(call)
      const address = await app().cairn.listen()
      expect(new URL(address).port).not.toBe('0')
      const source = { provider: 'github', name: 'Code', ingestion_mode: 'realtime' }
      const { body } = await call('POST', `${storage}/sources`, source)
      expect(body.webhook_url.startsWith(`${address}/api/v1/hooks/`)).toBe(true)
      const { body: listed } = await call('GET', `${storage}/sources`)
      expect(listed.sources[0].webhook_url).toBe(body.webhook_url)
    })
  },
  { CAIRN_PORT: '0', CAIRN_TRUST_PROXY: '10.0.0.0/8' },
)
