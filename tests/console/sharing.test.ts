import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { onConsole } from '../harness/console.ts'
import { newSandbox, putRecords } from '../harness/test-app.ts'

const WAIT = { timeout: 20_000 }
const DOCK = { external_id: 'd', type: 'note', title: 'Dock', text: 'The dock gate failed because its hinge broke.' }

const browser = onConsole()

const ask = async (page: Page, question: string) => {
  await page.getByRole('textbox', { name: /question/i }).fill(question)
  await page.keyboard.press('Enter')
}

it('a conversation is not shown in another sandbox or to another person', async () => {
  const { call, open, apiKey } = browser()
  const [one, two] = [await newSandbox(call, 'One'), await newSandbox(call, 'Two')]
  await putRecords(call, one, [DOCK])
  const page = await open()
  await page.getByLabel('Sandbox', { exact: true }).selectOption(one.id)
  await ask(page, 'Why did the dock gate fail?')
  await page.getByRole('link', { name: /hinge broke/ }).waitFor(WAIT)
  await page.getByLabel('Sandbox', { exact: true }).selectOption(two.id)
  await page.getByText('This sandbox is empty').waitFor(WAIT)
  expect(await page.getByText('hinge').count()).toBe(0)
  await page.getByLabel('Sandbox', { exact: true }).selectOption(one.id)
  await ask(page, 'Why did the dock gate fail?')
  await page.getByRole('link', { name: /hinge broke/ }).waitFor(WAIT)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('API key').fill(apiKey)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Ask', level: 1 }).waitFor(WAIT)
  expect(await page.getByText('hinge').count()).toBe(0)
})
