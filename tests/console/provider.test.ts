import { afterAll, expect, it } from 'vitest'
import { onConsole } from '../harness/console.ts'
import { freePort } from '../harness/free-port.mjs'
import { openIdentityProvider } from '../harness/identity-provider.ts'

const WAIT = { timeout: 20_000 }

const port = await freePort()
const idp = await openIdentityProvider(`http://127.0.0.1:${port}/api/v1/auth/callback`)
const browser = onConsole(
  {
    CAIRN_PORT: String(port),
    CAIRN_ALLOW_LOOPBACK: 'on',
    CAIRN_OIDC_ISSUER: idp.issuer,
    CAIRN_OIDC_CLIENT_ID: idp.clientId,
    CAIRN_OIDC_CLIENT_SECRET: idp.clientSecret,
    CAIRN_OIDC_ADMINS: 'boss@corp.example',
  },
  { provider: idp.issuer },
)
afterAll(() => idp.close())

it('people sign in with the identity provider, and see what their role allows', async () => {
  const { visit, url } = browser()
  idp.person = { sub: 'boss', name: 'The Boss', email: 'boss@corp.example', email_verified: true }
  const page = await visit(`${url}/console/people`)
  await page.getByRole('link', { name: 'Sign in with your organization' }).click()
  await page.getByText('The Boss').waitFor(WAIT)
  expect(page.url()).toBe(`${url}/console`)
  await page.goto(`${url}/console/people`)
  await page.getByRole('list', { name: 'Members' }).getByText('The Boss').waitFor(WAIT)
  await page.getByText('(you)').waitFor(WAIT)
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('link', { name: 'Sign in with your organization' }).waitFor(WAIT)
})

it('an invitation works through the identity provider', async () => {
  const { call, visit, url } = browser()
  idp.person = { sub: 'ada', name: 'Ada Lind', email: 'ada@corp.example', email_verified: true }
  const { body } = await call('POST', '/api/v1/invitations', { role: 'member', email: 'ada@corp.example' })
  const page = await visit(body.url)
  await page.getByRole('link', { name: 'Sign in and join' }).click()
  await page.getByText('Ada Lind').waitFor(WAIT)
  expect(page.url()).toBe(`${url}/console`)
})
