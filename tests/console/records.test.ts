import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { seriousFindings } from '../harness/axe.ts'
import { onConsole } from '../harness/console.ts'
import { lines, pdfOf } from '../harness/documents.ts'
import { newSandbox, putRecords } from '../harness/test-app.ts'

const WAIT = { timeout: 20_000 }
const NOTE = {
  external_id: 'n',
  type: 'note',
  title: 'Boiler 3',
  text: 'Ada Berg said that boiler 3 leaked because a weld cracked.',
  author: { name: 'Ada Berg', email: 'ada@example.com' },
}
const PDF = pdfOf([lines(['The quay was closed because its wall sank.'])])
const NARROW = 390
const browser = onConsole()

it("a record's address opens it in any sandbox, but no record of others", async () => {
  const { call, open, url } = browser()
  const sandbox = await newSandbox(call, 'Boilers')
  await putRecords(call, sandbox, [NOTE])
  await newSandbox(call, 'Elsewhere')
  const { body } = await call('GET', `${sandbox.storage}/records`)
  const page = await open()
  await page.getByLabel('Sandbox', { exact: true }).selectOption({ label: 'Elsewhere' })
  await page.goto(`${url}/console/records/${body.records[0].record_id}`)
  await page.getByRole('heading', { name: 'Boiler 3', level: 1 }).waitFor(WAIT)
  expect(await page.getByLabel('Sandbox', { exact: true }).inputValue()).toBe(sandbox.id)
  await page.getByRole('link', { name: 'Ada Berg' }).waitFor(WAIT)
  await page.goto(`${url}/console/records/rec_00000000000000000000000000`)
  await page.getByText('Not found, or no access').waitFor(WAIT)
})

it('a record shows why it was found, and is deleted after its dependents were shown', async () => {
  const { call, open } = browser()
  const sandbox = await newSandbox(call, 'Welds')
  await putRecords(call, sandbox, [NOTE])
  const page = await open()
  await page.getByLabel('Sandbox', { exact: true }).selectOption(sandbox.id)
  await page.getByRole('textbox', { name: 'Question' }).fill('Why did boiler 3 leak?')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: /weld cracked/ }).click(WAIT)
  await page.getByText('Why this record').first().click()
  await page.getByText('it contains words of the question').waitFor(WAIT)
  await page.getByRole('link', { name: 'Boiler 3', exact: true }).click()
  await page.getByRole('button', { name: 'Delete this record' }).click(WAIT)
  await page.getByText(/This permanently deletes the record with its \d+ mentions and \d+ relations/).waitFor(WAIT)
  await page.getByRole('button', { name: 'Delete it for good' }).click()
  await page.getByText('There are no records yet').waitFor(WAIT)
  expect((await call('GET', `${sandbox.storage}/records`)).body.records).toEqual([])
})

it('the file of a record is downloaded from its evidence, and opened from its page', async () => {
  const { call, open } = browser()
  const sandbox = await newSandbox(call, 'Files')
  const path = `${sandbox.storage}/import?path=plans/quay.pdf`
  const reply = await fetch(`${browser().url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${browser().apiKey}`, 'content-type': 'application/pdf', prefer: 'wait=60' },
    body: new Uint8Array(PDF),
  })
  expect(reply.status).toBe(200)
  for (const width of [1440, NARROW]) {
    const page = await open('', { width })
    if (width > NARROW) {
      await page.getByLabel('Sandbox', { exact: true }).selectOption(sandbox.id)
      await page.getByRole('textbox', { name: 'Question' }).fill('Why was the quay closed?')
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: /wall sank/ }).click(WAIT)
      const [saved] = await Promise.all([
        page.waitForEvent('download', WAIT),
        page.getByRole('button', { name: 'Download the original' }).click(WAIT),
      ])
      expect(saved.suggestedFilename()).toBe('quay.pdf')
      expect(readFileSync(await saved.path()).equals(PDF)).toBe(true)
    }
    const { body } = await call('GET', `${sandbox.storage}/records`)
    await page.goto(`${browser().url}/console/records/${body.records[0].record_id}`)
    const button = page.getByRole('button', { name: 'Open the original' })
    await button.waitFor(WAIT)
    expect(await seriousFindings(page)).toEqual([])
    const [tab] = await Promise.all([page.context().waitForEvent('page', WAIT), button.click()])
    await tab.waitForURL(/^blob:/, WAIT)
  }
})

it('numbers over time are plotted as a line above their table', async () => {
  const { call, open } = browser()
  const sandbox = await newSandbox(call, 'Months')
  const days = ['2026-01-10', '2026-02-11', '2026-02-12', '2026-03-01', '2026-03-02', '2026-03-03']
  const records = days.map((day) => ({ external_id: day, type: 'ticket', title: `Ticket of ${day}`, occurred_at: day }))
  await putRecords(call, sandbox, records)
  const page = await open()
  await page.getByLabel('Sandbox', { exact: true }).selectOption(sandbox.id)
  await page.getByRole('textbox', { name: 'Question' }).fill('How many tickets per month?')
  await page.keyboard.press('Enter')
  await page.getByRole('cell', { name: '2026-02' }).waitFor(WAIT)
  expect(await page.locator('main figure svg polyline').count()).toBe(1)
  expect(await page.locator('main figure svg circle').count()).toBe(3)
})

it('when there is no answer, matching files that could not be read are listed', async () => {
  const { call, open } = browser()
  const sandbox = await newSandbox(call, 'Plans')
  await putRecords(call, sandbox, [NOTE])
  const page = await open()
  await page.getByLabel('Sandbox', { exact: true }).selectOption(sandbox.id)
  await page.getByRole('link', { name: 'Add', exact: true }).click()
  const unknown = Buffer.from([0, 1, 2, 3, 0xff, 0xfe, 0, 0, 9, 9])
  const file = { name: 'harbour-plan.dwg', mimeType: 'application/octet-stream', buffer: unknown }
  await page.getByLabel('Files', { exact: true }).setInputFiles([file])
  await page.getByText('1 of 1 file, 1 left out').waitFor(WAIT)
  await page.getByRole('link', { name: 'Ask', exact: true }).click()
  await page.getByRole('textbox', { name: 'Question' }).fill('What does the harbour plan show?')
  await page.keyboard.press('Enter')
  await page.getByText('No answer.').waitFor(WAIT)
  await page.getByText('harbour-plan.dwg').waitFor(WAIT)
})
