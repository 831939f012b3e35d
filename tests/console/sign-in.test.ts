import { expect, it } from 'vitest'
import { onConsole } from '../harness/console.ts'

const WAIT = { timeout: 20_000 }
const CODES = '/api/v1/console/codes'
const ADMIN = { authorization: 'Bearer an-admin-key-of-the-tests' }

const browser = onConsole()

it('a link signs in once, in every tab of the browser, without a key', async () => {
  const { call, visit, url } = browser()
  const { body } = await call('POST', CODES)
  const page = await visit(body.url)
  await page.getByRole('button', { name: 'Sign out' }).waitFor(WAIT)
  await page.getByText('First account').waitFor(WAIT)
  expect(page.url()).toBe(`${url}/console`)
  expect(await page.evaluate('history.length')).toBeLessThanOrEqual(2)
  await page.reload()
  await page.getByRole('button', { name: 'Sign out' }).waitFor(WAIT)
  expect(JSON.stringify((await call('GET', '/api/v1/api-keys')).body)).not.toContain('by a link')

  const tab = await page.context().newPage()
  await tab.goto(`${url}/console/keys`)
  await tab.getByRole('heading', { name: 'Keys & connect', level: 1 }).waitFor(WAIT)
  await tab.getByRole('button', { name: 'Sign out', exact: true }).click()
  for (const each of [tab, page]) await each.getByLabel('API key').waitFor(WAIT)

  const again = await visit(body.url)
  await again.getByText('This link was used').waitFor(WAIT)
  await again.getByLabel('API key').waitFor(WAIT)
})

it('signing out in every browser ends the sessions in the others', async () => {
  const { call, visit, url } = browser()
  const pages = []
  for (let at = 0; at < 2; at++) pages.push(await visit((await call('POST', CODES)).body.url))
  const [here, there] = pages
  await there!.getByText('First account').waitFor(WAIT)
  await here!.getByText('First account').waitFor(WAIT)
  await here!.goto(`${url}/console/keys`)
  await here!.getByRole('button', { name: 'Sign out in every browser' }).click()
  await here!.getByText('You are signed out in every browser.').waitFor(WAIT)
  await there!.goto(`${url}/console/usage`)
  await there!.getByText('Your session has ended').waitFor(WAIT)
  await there!.getByLabel('API key').waitFor(WAIT)
})

it('a signed-in user must confirm before a link signs in to another account', async () => {
  const { call, open, url } = browser()
  const page = await open()
  await page.getByRole('button', { name: 'Sign out' }).waitFor(WAIT)
  const { body: other } = await call('POST', '/api/v1/admin/accounts', { display_name: 'Mallory Ltd' }, ADMIN)
  const codeOf = async () =>
    (await call('POST', `/api/v1/admin/accounts/${other.user_id}/console-codes`, undefined, ADMIN)).body.code
  // Only the fragment of the URL changes, so the tab loads nothing.
  await page.evaluate(`location.hash = 'k=${await codeOf()}'`)
  await page.getByRole('heading', { name: `Switch to the account ${other.user_id}?` }).waitFor(WAIT)
  expect(page.url()).not.toContain('k=')
  await page.getByRole('button', { name: 'Stay signed in' }).click()
  await page.getByText('First account').waitFor(WAIT)
  await page.goto(`${url}/console/keys#k=${await codeOf()}`)
  await page.getByRole('button', { name: `Switch to ${other.user_id}` }).click()
  await page.getByText('Mallory Ltd').waitFor(WAIT)
})

it('an incomplete link says so, and a link opened at the sign-in page signs in', async () => {
  const { call, visit, url } = browser()
  const page = await visit(`${url}/console#k=%`)
  await page.getByText('This link is incomplete').waitFor(WAIT)
  const { body } = await call('POST', CODES)
  await page.evaluate(`location.hash = 'k=${body.code}'`)
  await page.getByText('First account').waitFor(WAIT)
})

it('an expired link does not end the current session', async () => {
  const { call, open, url } = browser()
  const page = await open()
  const { body } = await call('POST', CODES)
  await call('POST', '/api/v1/console/sign-in', { code: body.code })
  await page.goto('about:blank')
  await page.goto(`${url}/console#k=${body.code}`)
  await page.getByRole('button', { name: 'Sign out' }).waitFor(WAIT)
})
