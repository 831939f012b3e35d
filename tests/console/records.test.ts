import { expect, it } from 'vitest'
import { onConsole } from '../harness/console.ts'
import { newSandbox, putRecords } from '../harness/test-app.ts'

const WAIT = { timeout: 20_000 }
const NOTE = {
  external_id: 'n',
  type: 'note',
  title: 'Boiler 3',
  text: 'Ada Berg said that boiler 3 leaked because a weld cracked.',
  author: { name: 'Ada Berg', email: 'ada@example.com' },
}
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
