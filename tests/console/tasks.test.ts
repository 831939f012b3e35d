import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onConsole } from '../harness/console.ts'
import { findMaybeOne, putMaybeOne } from '../harness/maybe-one.ts'
import { newSandbox, putRecords } from '../harness/test-app.ts'

const WAIT = { timeout: 20_000 }
const CLICKS_MAX = 4
const PUMP = {
  external_id: 'p',
  type: 'note',
  title: 'Pump 9',
  text: 'Pump 9 stopped because its seal froze.',
  author: { name: 'Ada Berg', identifiers: { email: 'ada@yard.example' } },
}

const browser = onConsole()
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-tasks-'))
  writeFileSync(join(folder, 'valve.md'), '# Valve\n\nThe valve was replaced on Monday.\n')
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Returns a tab that counts the clicks of each task. */
function countedTab(page: Page) {
  const clicks = new Map<string, number>()
  let task = ''
  const click = async (target: Locator): Promise<void> => {
    clicks.set(task, (clicks.get(task) ?? 0) + 1)
    await target.click(WAIT)
  }
  const openMenu = async () => {
    const menu = page.getByRole('button', { name: 'Menu' })
    if (await menu.isVisible()) await click(menu)
  }
  return {
    page,
    clicks,
    click,
    openMenu,
    /** Begins a task on the first page. */
    begin: async (next: string): Promise<void> => {
      task = next
      clicks.set(task, 0)
      await page.goto(`${browser().url}/console/`)
      await page.getByRole('textbox', { name: 'Question' }).waitFor(WAIT)
    },
    openPage: async (name: string): Promise<void> => {
      await openMenu()
      await click(page.getByRole('link', { name, exact: true }))
    },
    button: (name: string) => page.getByRole('button', { name, exact: true }),
  }
}
type CountedTab = ReturnType<typeof countedTab>

const withPump = async (name: string, word: string) => {
  const { call } = browser()
  const sandbox = await newSandbox(call, name)
  await putRecords(call, sandbox, [PUMP])
  await putMaybeOne(call, { storage: sandbox.storage, sourceId: sandbox.source }, word)
  await findMaybeOne(call, sandbox.storage, word)
  return sandbox
}
const askAndCheck = async (tab: CountedTab) => {
  const { page } = tab
  await tab.begin('ask')
  await page.getByRole('textbox', { name: 'Question' }).fill('Why did pump 9 stop?')
  await page.keyboard.press('Enter')
  const statement = page.getByRole('link', { name: /seal froze/ })
  await statement.first().waitFor(WAIT)

  await tab.begin('check a citation')
  await tab.click(page.getByRole('link', { name: 'Why did pump 9 stop?' }))
  await tab.click(statement.first())
  await page.locator('mark', { hasText: 'froze' }).first().waitFor(WAIT)

  await tab.begin('see why nothing was found')
  await page.getByRole('textbox', { name: 'Question' }).fill('Who is Wilhelmina Zastrow?')
  await page.keyboard.press('Enter')
  await page.getByText('No record mentions Wilhelmina Zastrow').waitFor(WAIT)
  await tab.click(page.getByText('Why this answer?'))
  await page.getByText('How the question was interpreted').waitFor(WAIT)
}
const addAndFind = async (tab: CountedTab) => {
  const { page } = tab
  await tab.begin('connect a folder')
  await tab.openPage('Add')
  const chooser = page.waitForEvent('filechooser', WAIT)
  await tab.click(tab.button('Choose a folder'))
  await (await chooser).setFiles(folder)
  await page.getByText('1 of 1 file').waitFor(WAIT)

  await tab.begin('find a person')
  await tab.click(page.getByRole('button', { name: 'Search' }).locator('visible=true'))
  await page.getByLabel(/^Search pages/).fill('Ada Berg')
  await tab.click(page.getByRole('option', { name: /Ada Berg.*person/ }))
  await page.getByRole('heading', { name: 'Ada Berg', level: 1 }).waitFor(WAIT)
}
const mergeAndUndo = async (tab: CountedTab) => {
  const { page } = tab
  await tab.begin('merge two')
  await tab.openPage('Review merges')
  await tab.click(tab.button('Merge'))
  await page.getByText(/^Merged /).waitFor(WAIT)

  await tab.begin('undo')
  await tab.openPage('Review merges')
  await tab.click(page.getByRole('tab', { name: 'Merged' }))
  await tab.click(tab.button('Undo the merge'))
  await page.getByText('No merges yet').waitFor(WAIT)
}
const shareExportAndLeave = async (tab: CountedTab, email: string) => {
  const { page } = tab
  await tab.begin('share')
  await tab.openPage('Projects & sharing')
  await page.getByLabel('E-mail address or account').fill(email)
  await tab.click(tab.button('Share'))
  await page.getByText(email).waitFor(WAIT)

  await tab.begin('export')
  await tab.openPage('Records')
  const [saved] = await Promise.all([page.waitForEvent('download', WAIT), tab.click(tab.button('Export all'))])
  expect(saved.suggestedFilename()).toMatch(/\.ndjson$/)

  await tab.begin('sign out')
  await tab.openMenu()
  await tab.click(tab.button('Sign out'))
  await page.getByLabel('API key').waitFor(WAIT)
}

it('each of the ten tasks of a new user needs at most four clicks, at both widths', async () => {
  for (const [width, word] of [
    [1440, 'yard'],
    [390, 'quay'],
  ] as const) {
    const sandbox = await withPump(`Tasks ${word}`, word)
    const page = await browser().open('', { width })
    await page.evaluate(`sessionStorage.setItem('cairn.sandbox', '${sandbox.id}')`)
    const tab = countedTab(page)
    await askAndCheck(tab)
    await addAndFind(tab)
    await mergeAndUndo(tab)
    await shareExportAndLeave(tab, `ada@${word}.example`)
    expect(tab.clicks.size).toBe(10)
    expect([...tab.clicks].filter(([, clicks]) => clicks > CLICKS_MAX)).toEqual([])
    await page.context().close()
  }
})
