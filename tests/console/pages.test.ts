import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { seriousFindings } from '../harness/axe.ts'
import { CONSOLE_PAGES, OVERHANG, onConsole } from '../harness/console.ts'
import { findMaybeOne, putMaybeOne } from '../harness/maybe-one.ts'
import { newSandbox, putRecords } from '../harness/test-app.ts'

const WAIT = { timeout: 20_000 }
const WORD = 'keel'

const browser = onConsole()
let made = 0

const newNotes = async () => {
  made += 1
  return newSandbox(browser().call, `Notes ${made}`)
}
const withTwo = async () => {
  const { call } = browser()
  const sandbox = await newNotes()
  await putMaybeOne(call, { storage: sandbox.storage, sourceId: sandbox.source }, WORD)
  await findMaybeOne(call, sandbox.storage, WORD)
  const people = async () => (await call('GET', `${sandbox.storage}/entities?type=person`)).body.entities.length
  return { sandbox, people }
}
const choose = async (page: Page, id: string) => {
  const menu = page.getByRole('button', { name: 'Menu' })
  if (await menu.isVisible()) await menu.click()
  await page.getByLabel('Sandbox', { exact: true }).selectOption(id)
}
const goTo = (page: Page, path: string) => page.goto(`${browser().url}/console${path}`)

it('two suggested entities are merged and split again by keyboard', async () => {
  const { sandbox, people } = await withTwo()
  const before = await people()
  const page = await browser().open()
  await choose(page, sandbox.id)
  await goTo(page, '/review')
  await page.getByRole('region', { name: 'The pair' }).waitFor(WAIT)
  await page.keyboard.press('a')
  await page.getByText(/^Merged /).waitFor(WAIT)
  await expect.poll(people, WAIT).toBe(before - 1)
  await page.keyboard.press('u')
  await page.getByText(/^Merged /).waitFor({ state: 'detached', ...WAIT })
  await expect.poll(people, WAIT).toBe(before)
})

it('an added file has a line with its outcome, and can be asked about', async () => {
  const sandbox = await newNotes()
  const page = await browser().open()
  await choose(page, sandbox.id)
  await goTo(page, '/add')
  await page.getByLabel('Files', { exact: true }).setInputFiles([
    {
      name: 'pumps.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from('# Pumps\n\nPump 9 stopped because it froze.\n'),
    },
    { name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 1]) },
  ])
  await page.getByText('2 of 2 files, 1 left out').waitFor(WAIT)
  expect(await page.locator('li', { hasText: 'pumps.md' }).textContent()).toContain('added: 1 record')
  expect(await page.locator('li', { hasText: 'photo.png' }).textContent()).toMatch(/left out: .{20}/)
  await page.getByRole('link', { name: 'Ask about them' }).click()
  await page.getByRole('textbox', { name: 'Question' }).fill('Why did pump 9 stop?')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: /froze/ }).waitFor(WAIT)
})

it('every page renders at both widths and color schemes, and axe finds nothing serious', async () => {
  const { sandbox } = await withTwo()
  const long = { external_id: 'l', type: 'note', title: 'w'.repeat(300), text: `${'name '.repeat(400)}` }
  const { call } = browser()
  await putRecords(call, sandbox, [long])
  const [entity] = (await call('GET', `${sandbox.storage}/entities?type=person`)).body.entities
  const [record] = (await call('GET', `${sandbox.storage}/records`)).body.records
  const paths = [
    ...CONSOLE_PAGES,
    `/entities/${entity.canonical_id}`,
    `/records/${record.record_id}`,
    `/sources/${sandbox.source}`,
  ]
  for (const width of [1440, 390]) {
    const page = await browser().open('', { width })
    await choose(page, sandbox.id)
    for (const path of paths) {
      await goTo(page, path)
      await page.getByRole('heading', { level: 1 }).waitFor(WAIT)
      await page.waitForLoadState('networkidle')
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await seriousFindings(page), `${path} at ${width}, ${colorScheme}`).toEqual([])
      }
      expect(await page.evaluate(OVERHANG), `${path} at ${width}`).toBeLessThanOrEqual(0)
    }
    await page.context().close()
  }
})
