import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { seriousFindings } from '../harness/axe.ts'
import { onConsole } from '../harness/console.ts'
import { newSandbox, putRecords, type TestSandbox } from '../harness/test-app.ts'

const WAIT = { timeout: 20_000 }
const OVERHANG = 'document.documentElement.scrollWidth - innerWidth'
const FILLER = Array.from({ length: 60 }, (_, at) => `Paragraph ${at} of the handbook is about nothing in particular.`)
const HANDBOOK = {
  external_id: 'handbook',
  type: 'document',
  title: 'Handbook of the harbour',
  text: [
    '# Handbook',
    ...FILLER,
    '## Cranes',
    '| Crane | Limit |\n| --- | --- |\n| Crane 4 | 12 tonnes |\n| Crane 5 | 9 tonnes |',
    'Crane 4 stopped because **its brake** overheated.\nIt was [repaired](javascript:alert(1)) by Ada Berg.',
    '- [x] Brake replaced\n- [ ] Cable checked',
    '![A chart](https://elsewhere.example/chart.png) <img src="https://elsewhere.example/x.png" onerror="alert(2)">',
  ].join('\n\n'),
  locators: [
    { start: 0, locator: 'p. 1' },
    { start: 500, locator: 'p. 12' },
  ],
}
const MAIL = {
  external_id: 'mail',
  type: 'email',
  title: 'Dredging',
  text: 'The dredging was postponed because the barge was late.\n\n> When does the dredging start?\n> Bo',
  author: { name: 'Ada Berg', email: 'ada@example.com' },
  occurred_at: '2026-03-10T08:00:00Z',
  properties: { to: ['bo@example.com'] },
}
const CALL = {
  external_id: 'call',
  type: 'document',
  title: 'Harbour call',
  text: 'Ana: Good morning.\nBo: The lock gate jammed because of ice.\nAna: Thanks.',
  locators: [
    { start: 0, locator: '00:00:01' },
    { start: 19, locator: '00:12:31' },
    { start: 61, locator: '00:12:40' },
  ],
}

const browser = onConsole()
let made = 0

const openWith = async (records: object[]) => {
  made += 1
  const sandbox = await newSandbox(browser().call, `Reading ${made}`)
  await putRecords(browser().call, sandbox, records)
  const page = await browser().open()
  await page.getByLabel('Sandbox', { exact: true }).selectOption(sandbox.id)
  return { page, sandbox }
}
const recordId = async ({ storage }: TestSandbox) =>
  (await browser().call('GET', `${storage}/records`)).body.records[0].record_id as string
const askFor = async (page: Page, question: string, passage: RegExp) => {
  await page.getByRole('textbox', { name: /question/i }).fill(question)
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: passage }).first().click(WAIT)
  return page.getByRole('complementary', { name: 'Supporting records' })
}

it('a cited passage of Markdown is rendered, highlighted and scrolled to in its record, with its page', async () => {
  const { page } = await openWith([HANDBOOK])
  const evidence = await askFor(page, 'Why did crane 4 stop?', /overheated/)
  await evidence.locator('strong', { hasText: 'its brake' }).waitFor(WAIT)
  expect(await evidence.textContent()).not.toContain('**')
  expect(await evidence.textContent()).not.toContain('Paragraph 3 ')
  await evidence.getByRole('heading', { level: 3 }).getByRole('link').click()
  const mark = page.locator('article mark').first()
  await mark.waitFor(WAIT)
  await expect.poll(async () => (await mark.boundingBox())?.y, WAIT).toBeLessThan(800)
  await page.getByText('Cited: p. 12').waitFor(WAIT)
  await page.getByRole('heading', { name: 'Cranes' }).waitFor(WAIT)
  expect(await page.getByRole('cell', { name: '12 tonnes' }).count()).toBe(1)
  await page.getByRole('img', { name: 'Done' }).waitFor(WAIT)
})

it('Markdown of others loads nothing, runs nothing and links nothing unsafe, and can be read as stored', async () => {
  const { page, sandbox } = await openWith([HANDBOOK])
  await page.goto(`${browser().url}/console/records/${await recordId(sandbox)}`)
  await page.getByText('Picture: A chart').waitFor(WAIT)
  expect(await page.locator('main img, main script').count()).toBe(0)
  expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
  await page.getByText('<img src="https://elsewhere.example/x.png" onerror="alert(2)">').waitFor(WAIT)
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await seriousFindings(page), `at ${width}`).toEqual([])
    expect(await page.evaluate(OVERHANG)).toBeLessThanOrEqual(0)
  }
  await page.getByRole('button', { name: 'As stored' }).click()
  await page.getByText('**its brake**').waitFor(WAIT)
  expect(browser().faults).toEqual([])
})

it('the text of a record is downloaded as it is stored', async () => {
  const { page, sandbox } = await openWith([HANDBOOK])
  await page.goto(`${browser().url}/console/records/${await recordId(sandbox)}`)
  const [saved] = await Promise.all([
    page.waitForEvent('download', WAIT),
    page.getByRole('button', { name: 'Text' }).click(WAIT),
  ])
  expect(saved.suggestedFilename()).toBe('Handbook of the harbour.md')
  const chunks: Buffer[] = []
  for await (const chunk of await saved.createReadStream()) chunks.push(chunk as Buffer)
  expect(Buffer.concat(chunks).toString()).toBe(HANDBOOK.text)
})

it('a mail shows its sender and recipients, with the quoted mail set apart', async () => {
  const { page, sandbox } = await openWith([MAIL])
  await page.goto(`${browser().url}/console/records/${await recordId(sandbox)}`)
  const text = page.locator('article')
  await text.locator('blockquote', { hasText: 'When does the dredging start?' }).waitFor(WAIT)
  expect(await text.locator('blockquote').textContent()).not.toContain('postponed')
  expect(await text.textContent()).toMatch(/From.*Ada Berg.*To.*bo@example\.com/)
})

it('a transcript shows the time of each passage', async () => {
  const { page } = await openWith([CALL])
  const evidence = await askFor(page, 'Why did the lock gate jam?', /because of ice/)
  await evidence.getByRole('heading', { level: 3 }).getByRole('link').click(WAIT)
  const turn = page.getByRole('listitem').filter({ hasText: '00:12:31' })
  await turn.locator('mark', { hasText: 'because of ice' }).waitFor(WAIT)
  expect(await turn.textContent()).not.toContain('Good morning')
})
