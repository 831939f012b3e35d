import type { Download, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { onConsole } from '../harness/console.ts'
import { newSandbox, putRecords } from '../harness/test-app.ts'

const WAIT = { timeout: 20_000 }
const OVERHANG = 'document.documentElement.scrollWidth - innerWidth'
/** More than one page of the list. */
const TICKETS = 130

const browser = onConsole()

const openTickets = async (name: string) => {
  const sandbox = await newSandbox(browser().call, name)
  const records = Array.from({ length: TICKETS }, (_, at) => ({
    external_id: `ticket-${at}`,
    type: 'ticket',
    title: at === 0 ? '=Ticket 0' : `Ticket ${at}`,
    occurred_at: new Date(Date.UTC(2026, 0, 1 + at)).toISOString(),
  }))
  await putRecords(browser().call, sandbox, records)
  const page = await browser().open()
  await page.getByLabel('Sandbox', { exact: true }).selectOption(sandbox.id)
  return page
}
const textOf = async (saved: Download) => {
  const chunks: Buffer[] = []
  for await (const chunk of await saved.createReadStream()) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
const save = async (page: Page) => {
  const button = page.getByRole('button', { name: 'CSV' })
  const [saved] = await Promise.all([page.waitForEvent('download', WAIT), button.click(WAIT)])
  return { name: saved.suggestedFilename(), lines: (await textOf(saved)).trimEnd().split('\r\n') }
}

it('a list is sorted as a whole, also its pages that were not shown, and saved as CSV', async () => {
  const page = await openTickets('Sorted')
  await page.getByRole('link', { name: 'Records', exact: true }).click()
  const table = page.getByRole('table', { name: 'Records' })
  const first = table.locator('tbody a').first()
  await expect.poll(() => first.textContent(), WAIT).toBe(`Ticket ${TICKETS - 1}`)
  await table.getByRole('button', { name: 'Date' }).click()
  await expect.poll(() => first.textContent(), WAIT).toBe('=Ticket 0')
  expect(await table.getByRole('columnheader', { name: 'Date' }).getAttribute('aria-sort')).toBe('ascending')
  const { name, lines } = await save(page)
  expect(name).toBe('Records.csv')
  expect(lines).toHaveLength(TICKETS + 1)
  expect(lines[0]).toBe('Record,Source,Author,Type,Date')
  expect(lines[1]).toMatch(/^"'=Ticket 0",.*,ticket,2026-01-01T/)
})

it('the table of an answer has titles and dates instead of ids, and is filtered, saved and readable', async () => {
  const page = await openTickets('Listed')
  await page.getByRole('textbox', { name: 'Question' }).fill('List the tickets')
  await page.keyboard.press('Enter')
  const table = page.locator('main table')
  await table.waitFor(WAIT)
  expect(await table.textContent()).not.toMatch(/rec_\w{26}|\d{4}-\d\d-\d\dT/)
  expect(await table.locator('thead').textContent()).toMatch(/^Title.*Occurred at/)
  await page.getByLabel('Filter rows').fill('ticket 12')
  await expect.poll(() => table.locator('tbody tr').count(), WAIT).toBeLessThan(12)
  const shown = await table.locator('tbody tr').count()
  const { name, lines } = await save(page)
  expect(name).toBe('List the tickets.csv')
  expect(lines).toHaveLength(shown + 1)
  await page.setViewportSize({ width: 390, height: 800 })
  expect(await page.evaluate(OVERHANG)).toBeLessThanOrEqual(0)
  await table.getByRole('link').first().click()
  await page.getByRole('heading', { name: /^Ticket 12/, level: 1 }).waitFor(WAIT)
})
