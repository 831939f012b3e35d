import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onConsole } from '../harness/console.ts'
import { lines, pdfOf } from '../harness/documents.ts'
import { type GithubServer, openGithubServer } from '../harness/github-server.ts'
import { findMaybeOne, putMaybeOne } from '../harness/maybe-one.ts'
import { newSandbox } from '../harness/test-app.ts'

const WAIT = { timeout: 30_000 }
const MARKDOWN = '# Pumps\n\nPump 9 stopped because it froze.\n'
const PDF = pdfOf([lines(['The quay was closed because its wall sank.'])])
/** Drops files as a person does who drags them in from elsewhere. */
const DROP = `(place, files) => {
  const dataTransfer = new DataTransfer()
  for (const { name, type, bytes } of files) {
    dataTransfer.items.add(new File([Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0))], name, { type }))
  }
  place.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
}`

const PLACE = `[...document.querySelectorAll('strong')].find((each) => each.textContent.startsWith('Drop files'))`

const browser = onConsole({ CAIRN_ALLOW_LOOPBACK: 'on' })
let host: GithubServer
beforeAll(async () => {
  host = await openGithubServer()
})
afterAll(() => host?.close())

const openIn = async (sandboxId: string) => {
  const page = await browser().open()
  await page.getByLabel('Sandbox').selectOption(sandboxId)
  return page
}
const ask = async (page: Page, question: string) => {
  await page.getByRole('link', { name: 'Ask', exact: true }).click()
  await page.getByRole('textbox', { name: /question/i }).fill(question)
  await page.keyboard.press('Enter')
}

it('files are dropped, asked, and a statement leads to its record with the passage marked', async () => {
  const sandbox = await newSandbox(browser().call, 'Dropped')
  const page = await openIn(sandbox.id)
  await page.getByRole('link', { name: 'Add', exact: true }).click()
  const files = [
    { name: 'pumps.md', type: 'text/markdown', bytes: Buffer.from(MARKDOWN).toString('base64') },
    { name: 'quay.pdf', type: 'application/pdf', bytes: PDF.toString('base64') },
  ]
  await page.getByText('Drop files or folders here').waitFor(WAIT)
  await page.evaluate(`(${DROP})(${PLACE}, ${JSON.stringify(files)})`)
  await page.getByText('2 of 2 files').waitFor(WAIT)
  for (const [question, passage] of [
    ['Why did pump 9 stop?', /froze/],
    ['Why was the quay closed?', /wall sank/],
  ] as const) {
    await ask(page, question)
    await page.getByRole('link', { name: passage }).first().click(WAIT)
    const evidence = page.getByRole('complementary', { name: 'What the statement rests on' }).last()
    await evidence.getByRole('heading', { level: 4 }).getByRole('link').first().click(WAIT)
    await page.locator('article mark', { hasText: passage }).first().waitFor(WAIT)
  }
})

it('a source is connected by its form, and its first run is seen', async () => {
  const sandbox = await newSandbox(browser().call, 'Connected')
  host.repositories.set('dock/cranes', {
    issues: [
      {
        id: 1,
        number: 1,
        title: 'Crane 4 is stuck',
        body: 'Crane 4 is stuck because a cable slipped.',
        state: 'open',
        user: { login: 'ada', id: 1 },
        html_url: 'https://code.example/dock/cranes/issues/1',
        created_at: '2026-03-01T10:00:00Z',
        updated_at: '2026-03-01T10:00:00Z',
      },
    ],
    comments: [],
    commits: [],
  })
  const page = await openIn(sandbox.id)
  await page.getByRole('link', { name: 'Sources', exact: true }).click()
  await page.getByRole('button', { name: 'Connect a source' }).click()
  await page.getByRole('button', { name: 'GitHub, it is read' }).click(WAIT)
  await page.getByLabel('Name').fill('Code of the dock')
  await page.getByLabel('Provider credential').fill('a-token')
  await page.getByLabel('Repositories').fill('dock/cranes')
  await page.getByLabel('Base url').fill(host.url)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('link', { name: 'See its first run' }).click(WAIT)
  await page.getByRole('table', { name: 'Runs' }).getByText('completed').waitFor(WAIT)
  expect(host.asked.some(({ authorization }) => authorization?.includes('a-token'))).toBe(true)
  await ask(page, 'Why is crane 4 stuck?')
  await page
    .getByRole('link', { name: /cable slipped/ })
    .first()
    .waitFor(WAIT)
})

it('a suggested merge is accepted and undone by keyboard, and answers change with it', async () => {
  const { call } = browser()
  const sandbox = await newSandbox(call, 'Merged')
  await putMaybeOne(call, { storage: sandbox.storage, sourceId: sandbox.source }, 'keel')
  await findMaybeOne(call, sandbox.storage, 'keel')
  const page = await openIn(sandbox.id)
  const review = async (key: string) => {
    await page.getByRole('link', { name: 'Review merges', exact: true }).first().click()
    await page.getByRole('tab', { name: 'Suggested' }).waitFor(WAIT)
    if (key === 'a') await page.getByRole('region', { name: 'The pair' }).waitFor(WAIT)
    else await page.getByRole('tab', { name: 'Made one' }).click()
    if (key === 'u') await page.getByRole('main').getByText('Qukeel').first().waitFor(WAIT)
    await page.keyboard.press(key)
  }
  const told = async (many: RegExp) => {
    await ask(page, 'How many messages did Tuuli Qukeel write?')
    await page.getByRole('article').last().getByText(many).first().waitFor(WAIT)
  }
  await told(/There is 1 message/)
  await review('a')
  await page.getByText('are one now').waitFor(WAIT)
  await told(/There are 2 messages/)
  await review('u')
  await expect
    .poll(async () => (await call('GET', `${sandbox.storage}/entities?type=person`)).body.entities.length, WAIT)
    .toBe(2)
  await told(/There is 1 message/)
})
