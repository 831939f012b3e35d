import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { newSandbox, onEachApp } from '../harness/test-app.ts'

const CLI = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
)
const CLIENT = fileURLToPath(new URL('./conformance-client.mjs', import.meta.url))
const SCENARIO_MS_MAX = 300_000

/** Scenarios of clients that act for a user. The others have no user, and no refresh of a consent. */
const PASSING = [
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/resource-mismatch',
  'auth/pre-registration',
  'auth/2025-03-26-oauth-metadata-backcompat',
]
/** This scenario expects its own client document and warns about any other. */
const WARNED = 'auth/basic-cimd'
/**
 * Scenarios that must fail. The servers of the first two publish a different issuer than requested, which RFC 8414
 * section 3.3 forbids. The third has no metadata, so its endpoints and PKCE support would be guesses.
 */
const REFUSED = [
  ['auth/metadata-var2', 'oauth_issuer_mismatch'],
  ['auth/metadata-var3', 'oauth_issuer_mismatch'],
  ['auth/2025-03-26-oauth-endpoint-fallback', 'oauth_not_offered'],
] as const

onEachApp(
  (app) => {
    let env: Record<string, string>
    beforeAll(async () => {
      const { call, key } = await app().newAccount()
      const url = await app().cairn.listen()
      const { storage } = await newSandbox(call)
      env = { CAIRN_URL: url, CAIRN_API_KEY: key, CAIRN_STORAGE: storage }
    })

    const run = (scenario: string): Promise<{ code: number; output: string }> => {
      const { PATH = '' } = process.env
      const args = ['client', '--command', `${process.execPath} ${CLIENT}`, '--scenario', scenario]
      return new Promise((resolve) => {
        execFile(
          process.execPath,
          [CLI, ...args, '--timeout', String(SCENARIO_MS_MAX)],
          { env: { PATH, ...env } },
          (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), output: `${stdout}${stderr}` }),
        )
      })
    }

    describe('the conformance suite of the Model Context Protocol', () => {
      it.each(PASSING)('holds: %s', async (scenario) => {
        const { code, output } = await run(scenario)
        expect(code, output).toBe(0)
      })

      it(`holds except for the address of the client's document: ${WARNED}`, async () => {
        const { output } = await run(WARNED)
        expect(output).toMatch(/Passed: (\d+)\/\1, 0 failed, 1 warnings/)
      })

      it.each(REFUSED)('is refused: %s, %s', async (scenario, error) => {
        const { code, output } = await run(scenario)
        expect([code, output]).toEqual([1, expect.stringContaining(error)])
      })
    })
  },
  { CAIRN_ALLOW_LOOPBACK: 'on', CAIRN_PORT: '0' },
)
