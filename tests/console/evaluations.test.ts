import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { seriousFindings } from '../harness/axe.ts'
import { onConsole } from '../harness/console.ts'
import { newSandbox, putRecords } from '../harness/test-app.ts'

const WAIT = { timeout: 60_000 }
const OVERHANG = 'document.documentElement.scrollWidth - innerWidth'
const NOTE = {
  external_id: 'n',
  type: 'note',
  title: 'Pump 7',
  text: 'Pump 7 stopped because its filter was full of sand.',
}
const QUESTIONS = [
  'question,expected,unanswerable',
  'Why did pump 7 stop?,sand,',
  'Why did pump 7 stop working?,a broken belt,',
  'Who likes parachutes in Mongolia?,,true',
].join('\n')
const ADDRESS = /\/console\/evaluations\/(job_\w+)/

const browser = onConsole()

const run = async (page: Page, csv: string, button: string) => {
  await page.getByRole('link', { name: 'Evaluations', exact: true }).click()
  await page
    .getByLabel('File of questions')
    .setInputFiles([{ name: 'questions.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) }])
  await page.getByRole('button', { name: button }).click(WAIT)
  await page.waitForURL(ADDRESS, WAIT)
}

it('questions of a file are asked and graded, two runs are compared, and a question is opened', async () => {
  const sandbox = await newSandbox(browser().call, 'Evaluated', 'enterprise')
  await putRecords(browser().call, sandbox, [NOTE])
  const page = await browser().open()
  await page.getByLabel('Sandbox', { exact: true }).selectOption(sandbox.id)
  await run(page, QUESTIONS, 'Ask 3 questions')
  const results = page.getByRole('list', { name: 'Questions' })
  await results.getByText('rightly not answered').waitFor(WAIT)
  const grades = page.getByRole('table', { name: 'Grades' })
  await grades.getByText('67 %').waitFor(WAIT)

  await run(page, QUESTIONS.replace('a broken belt', 'sand'), 'Ask 3 questions')
  await grades.getByText('100 %').waitFor(WAIT)
  const compared = page.getByLabel('Compare with')
  await compared.locator('option', { hasText: '67 %' }).waitFor({ state: 'attached', ...WAIT })
  await compared.selectOption({ index: 1 })
  await page.getByLabel('Only the 1 with another grade').check(WAIT)
  const changed = results.getByRole('listitem').first()
  expect(await results.getByRole('listitem').count()).toBe(1)
  expect(await changed.textContent()).toMatch(/Why did pump 7 stop working\?wrong →right/)
  await page.reload()
  await grades.getByText('67 %').waitFor(WAIT)
  await results.getByText('Why did pump 7 stop working?').click()
  await results
    .getByText(/filter was full of sand/)
    .first()
    .waitFor(WAIT)
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await seriousFindings(page), `at ${width}`).toEqual([])
    expect(await page.evaluate(OVERHANG)).toBeLessThanOrEqual(0)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await results.getByRole('link', { name: 'record 1' }).click()
  await page.getByRole('heading', { name: 'Pump 7', level: 1 }).waitFor(WAIT)
})

it('a run is deleted after a confirmation', async () => {
  const sandbox = await newSandbox(browser().call, 'Deleted', 'enterprise')
  await putRecords(browser().call, sandbox, [NOTE])
  const page = await browser().open()
  await page.getByLabel('Sandbox', { exact: true }).selectOption(sandbox.id)
  await page.getByRole('link', { name: 'Evaluations', exact: true }).click()
  await page.getByRole('textbox', { name: 'Questions' }).fill('Why did pump 7 stop?')
  await page.getByRole('button', { name: 'Ask 1 question' }).click(WAIT)
  await page.waitForURL(ADDRESS, WAIT)
  await page.getByRole('button', { name: 'Delete this run' }).click()
  await page.getByRole('button', { name: 'Delete it for good' }).click()
  await page.getByText('There are no evaluations yet').waitFor(WAIT)
})
