import { afterAll, expect, it } from 'vitest'
import { onConsole } from '../harness/console.ts'
import { elements, startModel } from '../harness/model-server.ts'
import { newSandbox, putRecords } from '../harness/test-app.ts'

const WAIT = { timeout: 20_000 }
const RECORDS = [
  {
    external_id: 'h1',
    type: 'message',
    occurred_at: '2026-06-15T09:00:00Z',
    text: 'Harbour launches on 17 August, Ana Lima decided.',
    author: { name: 'Ana Lima' },
  },
  {
    external_id: 'h2',
    type: 'issue',
    title: 'Load test of Harbour',
    text: 'The load test with 300 users has to pass before the launch.',
  },
]
const WRITTEN = [
  { text: 'Ana Lima set the launch of Harbour for 17 August.', ids: ['r1'], paragraph: 1 },
  { text: 'Before that a load test with 300 users has to pass.', ids: ['r2'], paragraph: 2 },
]

const model = await startModel()
afterAll(() => model.close())
const browser = onConsole({
  CAIRN_MODEL_BASE_URL: model.baseUrl,
  CAIRN_MODEL_NAME: 'small',
  CAIRN_MODEL_API_KEY: 'model-key',
})

it("a model's answer appears statement by statement, and names the model, also after a reload", async () => {
  const sandbox = await newSandbox(browser().call, 'Written')
  await putRecords(browser().call, sandbox, RECORDS)
  const page = await browser().open()
  await page.getByLabel('Sandbox', { exact: true }).selectOption(sandbox.id)
  let release: () => void = () => undefined
  const before = new Promise<void>((resolve) => {
    release = resolve
  })
  const [first, second] = WRITTEN.map((each) => JSON.stringify(each))
  // The last chunk of the stream, with the second statement, is held back.
  model.answer = () => ({ pieces: [`{"elements":[${first}`, `,${second}]}`], before })
  await page.getByRole('textbox', { name: 'Question' }).fill('When does Harbour launch?')
  await page.keyboard.press('Enter')
  await page.getByText(WRITTEN[0]!.text).waitFor(WAIT)
  await page.getByLabel('The answer is being written').waitFor(WAIT)
  expect(await page.getByText(WRITTEN[1]!.text).count()).toBe(0)
  release()
  await page.getByRole('link', { name: WRITTEN[1]!.text }).waitFor(WAIT)
  await page.waitForURL(/\/console\/answers\/ans_/, WAIT)
  for (const isReloaded of [false, true]) {
    if (isReloaded) await page.reload()
    await page.getByText('Written by the model small, each statement checked').waitFor(WAIT)
  }
  model.answer = () => elements()
  const asked = model.asked.length
  await page.getByText('Why this answer?').click()
  await page.locator('li[data-is-chosen]').first().waitFor(WAIT)
  // The explanation costs no request to the model.
  expect(model.asked).toHaveLength(asked)
})
