import { expect, it } from 'vitest'
import { onConsole } from '../harness/console.ts'

const WAIT = { timeout: 20_000 }
const CODES = '/api/v1/console/codes'

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

it('who is signed in stays so when a link is good no more', async () => {
  const { call, open, url } = browser()
  const page = await open()
  const { body } = await call('POST', CODES)
  await call('POST', '/api/v1/console/sign-in', { code: body.code })
  await page.goto('about:blank')
  await page.goto(`${url}/console#k=${body.code}`)
  await page.getByRole('button', { name: 'Sign out' }).waitFor(WAIT)
})
