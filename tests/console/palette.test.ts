import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { seriousFindings } from '../harness/axe.ts'
import { onConsole } from '../harness/console.ts'
import { newSandbox, putRecords } from '../harness/test-app.ts'

const WAIT = { timeout: 20_000 }
const FOCUSED = 'document.activeElement.textContent'
const OVERHANG = 'document.documentElement.scrollWidth - innerWidth'
const NOTE = {
  external_id: 'n',
  type: 'note',
  title: 'Boiler 3',
  text: 'Ada Berg said that boiler 3 leaked because a weld cracked.',
  author: { name: 'Ada Berg', email: 'ada@example.com' },
}

const browser = onConsole()
let made = 0

const openWith = async (look?: { width: number }) => {
  made += 1
  const sandbox = await newSandbox(browser().call, `Found ${made}`)
  await putRecords(browser().call, sandbox, [NOTE])
  const page = await browser().open('', look)
  return { page, sandbox }
}
/** Opens the palette by keyboard, types and opens the first option with this name. */
const find = async (page: Page, text: string, option: RegExp) => {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Search pages/ }).waitFor(WAIT)
  await page.keyboard.type(text)
  const wanted = page.getByRole('option', { name: option }).first()
  await wanted.waitFor(WAIT)
  while ((await wanted.getAttribute('aria-selected')) !== 'true') await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
}

it('a page, a record, an entity, a source and an answer are found and opened by keyboard only', async () => {
  const { page, sandbox } = await openWith()
  await page.getByLabel('Sandbox', { exact: true }).selectOption(sandbox.id)
  await find(page, 'people', /^People/)
  await page.getByRole('heading', { name: 'People', level: 1 }).waitFor(WAIT)
  await expect.poll(() => page.evaluate(FOCUSED), WAIT).toBe('People')
  await find(page, 'boiler', /^Boiler 3.*note/)
  await page.getByRole('heading', { name: 'Boiler 3', level: 1 }).waitFor(WAIT)
  await expect.poll(() => page.evaluate(FOCUSED), WAIT).toBe('Boiler 3')
  await find(page, 'Ada', /^Ada Berg.*person/)
  await page.getByRole('heading', { name: 'Ada Berg', level: 1 }).waitFor(WAIT)
  const { body } = await browser().call('GET', `${sandbox.storage}/sources`)
  await find(page, body.sources[0].name, new RegExp(`^${body.sources[0].name}`))
  await page.waitForURL(/\/console\/sources\/\w+/, WAIT)
  await find(page, 'Why did boiler 3 leak?', /^Why did boiler 3 leak\?$/)
  await page.waitForURL(/\/console\/answers\/ans_/, WAIT)
  await page.getByRole('link', { name: 'Records', exact: true }).click()
  await page.getByRole('heading', { name: 'Records', level: 1 }).waitFor(WAIT)
  await find(page, 'boiler 3 leak', /^Why did boiler 3 leak\?.*20\d\d/)
  await page.getByRole('heading', { name: 'Why did boiler 3 leak?', level: 1 }).waitFor(WAIT)
  await expect.poll(() => page.evaluate(FOCUSED), WAIT).toBe('Why did boiler 3 leak?')
})

it('the search closes with Escape and returns the focus, and has no serious axe findings', async () => {
  const { page } = await openWith({ width: 390 })
  const button = page.getByRole('button', { name: 'Search' }).first()
  await button.click()
  await page.getByRole('option', { name: 'Records' }).waitFor(WAIT)
  expect(await seriousFindings(page)).toEqual([])
  expect(await page.evaluate(OVERHANG)).toBeLessThanOrEqual(0)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached', ...WAIT })
  expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Search')
})

it('another sandbox shows the same list, and not an object of the previous one', async () => {
  const { page, sandbox } = await openWith()
  const { sandbox: other } = await openWith()
  await page.reload()
  const chooser = page.getByLabel('Sandbox', { exact: true })
  await chooser.selectOption(sandbox.id)
  await page.getByRole('link', { name: 'Records', exact: true }).click()
  await page.getByRole('link', { name: 'Boiler 3' }).waitFor(WAIT)
  await chooser.selectOption(other.id)
  await page.getByRole('link', { name: 'Boiler 3' }).click(WAIT)
  await page.getByRole('heading', { name: 'Boiler 3', level: 1 }).waitFor(WAIT)
  await chooser.selectOption(sandbox.id)
  await page.getByRole('heading', { name: 'Records', level: 1 }).waitFor(WAIT)
})
