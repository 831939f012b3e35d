import { expect, it } from 'vitest'
import { seriousFindings } from '../harness/axe.ts'
import { onConsole } from '../harness/console.ts'

const served = onConsole()

it('the guide finds a section by its words and opens it', async () => {
  const page = await served().visit(`${served().url}/guide/`)
  await page.keyboard.press('Control+k')
  await page.getByRole('searchbox').fill('tokens of an isuer')
  await page.getByRole('link', { name: 'Connect an agent (MCP) › Tokens of an issuer' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/guide\/mcp#tokens-of-an-issuer$/)
  expect(await page.locator('h2#tokens-of-an-issuer').isVisible()).toBe(true)
})

it('the guide explains an empty result, and an index that does not load', async () => {
  const page = await served().visit(`${served().url}/guide/mcp`)
  await page.route('**/search.json', (route) => route.abort(), { times: 2 })
  await page.keyboard.press('/')
  await page.getByRole('searchbox').fill('xyzzyqwv')
  await page.getByText('The search index could not be loaded.').waitFor()
  await page.unroute('**/search.json')
  await page.getByRole('searchbox').fill('xyzzyqwvv')
  await page.getByText('No results for “xyzzyqwvv”').waitFor()
})

it('the guide follows the system color scheme and remembers a chosen one', async () => {
  const page = await served().visit(`${served().url}/guide/mcp`, { scheme: 'dark' })
  const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  expect(await background()).toBe('rgb(27, 27, 31)')
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('switch', { name: 'Dark theme' }).click()
  expect(await background()).toBe('rgb(255, 255, 255)')
  await page.reload()
  expect(await background()).toBe('rgb(255, 255, 255)')
  expect(await seriousFindings(page)).toEqual([])
})

it('a narrow window opens the list of pages as a menu, and no page scrolls sideways', async () => {
  const page = await served().visit(`${served().url}/guide/settings`, { width: 360 })
  expect(await page.getByRole('link', { name: 'Webhooks', exact: true }).isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
  await page.waitForURL(/\/guide\/webhooks$/)
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
})
