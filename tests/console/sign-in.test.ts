import { expect, it } from 'vitest'
import { onConsole } from '../harness/console.ts'

const WAIT = { timeout: 20_000 }
const CODES = '/api/v1/console/codes'
const ADMIN = { authorization: 'Bearer an-admin-key-of-the-tests' }

const browser = onConsole()

it('a link signs in once, leaves the address, and says whose account it led to', async () => {
  const { call, visit, url } = browser()
  const { body } = await call('POST', CODES)
  const page = await visit(body.url)
  await page.getByRole('button', { name: 'Sign out' }).waitFor(WAIT)
  await page.getByText('First account').waitFor(WAIT)
  expect(page.url()).toBe(`${url}/console`)
  expect(await page.evaluate('history.length')).toBeLessThanOrEqual(2)
  await page.reload()
  await page.getByRole('button', { name: 'Sign out' }).waitFor(WAIT)
  const { body: keys } = await call('GET', '/api/v1/api-keys')
  expect(keys[0]).toMatchObject({ name: 'Console, by a link' })

  const again = await visit(body.url)
  await again.getByText('This link was used').waitFor(WAIT)
  await again.getByLabel('API key').waitFor(WAIT)
})

it('a tab that is signed in asks before a link signs it in to another account', async () => {
  const { call, open, url } = browser()
  const page = await open()
  await page.getByRole('button', { name: 'Sign out' }).waitFor(WAIT)
  const { body: other } = await call('POST', '/api/v1/admin/accounts', { display_name: 'Mallory Ltd' }, ADMIN)
  const codeOf = async () =>
    (await call('POST', `/api/v1/admin/accounts/${other.user_id}/console-codes`, undefined, ADMIN)).body.code
  // Only the fragment of the URL changes, so the tab loads nothing.
  await page.evaluate(`location.hash = 'k=${await codeOf()}'`)
  await page.getByRole('heading', { name: 'Switch to the account Mallory Ltd?' }).waitFor(WAIT)
  expect(page.url()).not.toContain('k=')
  await page.getByRole('button', { name: 'Stay signed in' }).click()
  await page.getByText('First account').waitFor(WAIT)
  await page.goto(`${url}/console/keys#k=${await codeOf()}`)
  await page.getByRole('button', { name: 'Switch to Mallory Ltd' }).click()
  await page.getByText('Mallory Ltd').waitFor(WAIT)
})

it('a link that is cut off says so, and one that is opened at the sign-in page signs in', async () => {
  const { call, visit, url } = browser()
  const page = await visit(`${url}/console#k=%`)
  await page.getByText('This link is not complete').waitFor(WAIT)
  const { body } = await call('POST', CODES)
  await page.evaluate(`location.hash = 'k=${body.code}'`)
  await page.getByText('First account').waitFor(WAIT)
})

it('who is signed in stays so when a link is good no more', async () => {
  const { call, open, url } = browser()
  const page = await open()
  const { body } = await call('POST', CODES)
  await call('POST', '/api/v1/console/sign-in', { code: body.code })
  await page.goto('about:blank')
  await page.goto(`${url}/console#k=${body.code}`)
  await page.getByRole('button', { name: 'Sign out' }).waitFor(WAIT)
})
