import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AuthorizationServer, openAuthorizationServer } from '../harness/authorization-server.ts'
import { onConsole } from '../harness/console.ts'
import { type HostedServer, openHostedServer } from '../harness/hosted-server.ts'
import { newSandbox } from '../harness/test-app.ts'

const WAIT = { timeout: 20_000 }

const as: AuthorizationServer = await openAuthorizationServer()
let hosted: HostedServer
const browser = onConsole({ CAIRN_ALLOW_LOOPBACK: 'on' }, { provider: as.issuer })
beforeAll(async () => {
  hosted = await openHostedServer(as)
  hosted.tools.resources = [
    { uri: 'notes://gate', name: 'Gate', text: 'The dock gate failed because its hinge broke.' },
  ]
})
afterAll(async () => {
  await hosted?.close()
  await as.close()
})

it('a hosted server is connected by a consent, shows when it was revoked, and is connected again', async () => {
  const { call, visit, url } = browser()
  await newSandbox(call, 'Harbour')
  const { body } = await call('POST', '/api/v1/console/codes')
  const page = await visit(body.url)
  await page.locator('nav').waitFor({ state: 'attached' })
  await page.goto(`${url}/console/sources`)
  await page.getByRole('button', { name: 'Connect a source' }).click()
  await page.getByRole('button', { name: 'MCP tool server: Polling' }).click(WAIT)
  expect(await page.getByLabel('Token').count()).toBe(0)
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Notes')
  await page.getByLabel('Base URL').fill(hosted.url)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()

  const consent = async () => {
    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: /^Consent at/ }).click(WAIT)
    const there = await opened
    await there.getByRole('heading', { name: 'Consent complete' }).waitFor(WAIT)
    await there.close()
  }
  await consent()
  await page.getByRole('link', { name: 'See its first run' }).click(WAIT)
  await page.getByText('1 added').waitFor(WAIT)
  await page.getByText('active', { exact: true }).waitFor(WAIT)

  hosted.isClosed = true
  await page.getByRole('button', { name: 'Pull now' }).click()
  await page.getByText('needs consent').waitFor(WAIT)
  await page.getByText('no longer accepts the access').waitFor(WAIT)
  hosted.isClosed = false
  await page.getByRole('button', { name: 'Ask for consent' }).click()
  await consent()
  await page.getByText('active', { exact: true }).waitFor(WAIT)
  expect(await page.getByText('needs consent').count()).toBe(0)
})

it('a consent in another browser is completed with its confirmation code', async () => {
  const { call, open } = browser()
  const sandbox = await newSandbox(call, 'Other')
  const settings = { name: 'Notes 2', base_url: hosted.url, auth_kind: 'oauth' }
  const { body } = await call('POST', `${sandbox.storage}/sources/user-mcp`, settings)
  const page = await open('/sources')
  await page.getByLabel('Sandbox', { exact: true }).selectOption(sandbox.id)
  await page.getByRole('link', { name: 'Notes 2' }).click(WAIT)
  const callback = await fetch(await as.consent(body.authorization.url), { headers: { accept: 'text/html' } })
  const code = /<code id="confirmation">([^<]+)</.exec(await callback.text())?.[1]
  await page.getByLabel('Confirmation code').fill(code!, WAIT)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('active', { exact: true }).waitFor(WAIT)
})
