import { expect, it } from 'vitest'
import { seriousFindings } from '../harness/axe.ts'
import { onConsole } from '../harness/console.ts'

const WAIT = { timeout: 20_000 }
const ADMIN_KEY = 'an-admin-key-of-the-tests'
const OVERHANG = 'document.documentElement.scrollWidth - innerWidth'

const browser = onConsole()

it('the admin key gives access to accounts, health and audit logs, but to no sandbox', async () => {
  const { visit, url } = browser()
  const page = await visit(`${url}/console`)
  await page.getByLabel('API key').fill(ADMIN_KEY)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Operator', level: 1 }).waitFor(WAIT)
  await page.getByText('Ready', { exact: true }).waitFor(WAIT)
  await page.getByText('Requests answered').waitFor(WAIT)
  expect(await seriousFindings(page)).toEqual([])
  expect(await page.getByLabel('Sandbox', { exact: true }).count()).toBe(0)

  await page.getByLabel('Name of a new account').fill('Harbour Ltd')
  await page.getByRole('button', { name: 'Make the account' }).click()
  await page.getByText('Copy its first key now').waitFor(WAIT)
  await page.getByRole('button', { name: 'Sign-in link: Harbour Ltd' }).click(WAIT)
  const link = page.getByRole('listitem').filter({ hasText: 'Harbour Ltd' }).locator('pre')
  await link.waitFor(WAIT)
  const theirs = await visit(String(await link.textContent()))
  await theirs.getByText('Harbour Ltd').waitFor(WAIT)

  await page.getByRole('button', { name: 'Suspend: Harbour Ltd' }).click()
  await page.getByText('suspended', { exact: true }).first().waitFor(WAIT)
  expect(await seriousFindings(page)).toEqual([])
  await theirs.getByRole('link', { name: 'Usage' }).click()
  await theirs.getByText('Your session has ended').waitFor(WAIT)
  await page.getByRole('button', { name: 'Audit: Harbour Ltd' }).click()
  await page.getByRole('list', { name: 'Events' }).getByText('Console signed in').waitFor(WAIT)

  await page.getByRole('button', { name: 'Erase: Harbour Ltd' }).click()
  await page.getByLabel('Type “Harbour Ltd” to erase it').fill('Harbour Ltd')
  await page.getByRole('button', { name: 'Erase it for good' }).click()
  await page.getByRole('button', { name: 'Erase: Harbour Ltd' }).waitFor({ state: 'detached', ...WAIT })
  await page.reload()
  await page.getByRole('heading', { name: 'Operator', level: 1 }).waitFor(WAIT)
  await page.setViewportSize({ width: 390, height: 800 })
  expect(await page.evaluate(OVERHANG)).toBeLessThanOrEqual(0)
})
