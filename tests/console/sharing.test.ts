import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { onConsole } from '../harness/console.ts'
import { newSandbox, putRecords } from '../harness/test-app.ts'

const WAIT = { timeout: 20_000 }
const ADMIN = { authorization: 'Bearer an-admin-key-of-the-tests' }
const DOCK = { external_id: 'd', type: 'note', title: 'Dock', text: 'The dock gate failed because its hinge broke.' }
const MILL = { external_id: 'm', type: 'note', title: 'Mill', text: 'The mill stopped because its belt snapped.' }

const browser = onConsole()

const ask = async (page: Page, question: string) => {
  await page.getByRole('textbox', { name: /question/i }).fill(question)
  await page.keyboard.press('Enter')
}

it('a project is shared, seen as its viewer sees it, and nothing more; what was seen before is gone', async () => {
  const { call, open } = browser()
  const sandbox = await newSandbox(call, 'Harbour')
  await putRecords(call, sandbox, [DOCK])
  const { body: other } = await call('POST', `${sandbox.storage}/sources`, { provider: 'slack', name: 'Mill talk' })
  await call('POST', `${sandbox.storage}/sources/${other.data_source_id}/records`, { records: [MILL] }, WAITING)
  const { body: viewer } = await call('POST', '/api/v1/admin/accounts', { display_name: 'Viewer' }, ADMIN)

  const page = await open()
  await page.getByLabel('Sandbox').selectOption(sandbox.id)
  await ask(page, 'Why did the dock gate fail?')
  await page.getByRole('link', { name: /hinge broke/ }).waitFor(WAIT)
  await page.getByRole('link', { name: 'Projects & sharing' }).click()
  await page.getByLabel('Name of a new project').fill('Milling')
  await page.getByRole('button', { name: 'Make it' }).click()
  await page.getByLabel('Put a source into Milling').selectOption({ label: 'Mill talk' }, WAIT)
  await page.getByRole('list', { name: 'Sources of Milling' }).getByRole('link', { name: 'Mill talk' }).waitFor(WAIT)
  await page.getByLabel('Account').fill(viewer.user_id)
  await page.getByLabel('What').selectOption({ label: 'Milling' })
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByRole('button', { name: 'See as this account' }).click(WAIT)

  await page.getByText('and can change nothing').waitFor(WAIT)
  expect(await page.getByText('hinge broke').count()).toBe(0)
  await ask(page, 'Why did the mill stop?')
  await page.getByRole('link', { name: /belt snapped/ }).waitFor(WAIT)
  await page.getByRole('link', { name: 'Records' }).click()
  await page.getByRole('link', { name: 'Mill', exact: true }).waitFor(WAIT)
  expect(await page.getByRole('link', { name: 'Dock', exact: true }).count()).toBe(0)
  await page.getByRole('link', { name: 'Projects & sharing' }).click()
  await page.getByLabel('Name of a new project').fill('Not theirs to make')
  await page.getByRole('button', { name: 'Make it' }).click()
  await page.getByText('one reads, and changes nothing').waitFor(WAIT)

  await page.getByRole('button', { name: 'Back to what you see' }).click()
  await page.getByRole('link', { name: 'Records' }).click()
  await page.getByRole('link', { name: 'Dock', exact: true }).waitFor(WAIT)
  await page.getByRole('link', { name: 'Audit' }).click()
  await page.getByText('sandbox.read_as').first().waitFor(WAIT)
})

const WAITING = { prefer: 'wait=30' }

it('another sandbox, and another person, see nothing of a conversation', async () => {
  const { call, open, apiKey } = browser()
  const [one, two] = [await newSandbox(call, 'One'), await newSandbox(call, 'Two')]
  await putRecords(call, one, [DOCK])
  const page = await open()
  await page.getByLabel('Sandbox').selectOption(one.id)
  await ask(page, 'Why did the dock gate fail?')
  await page.getByRole('link', { name: /hinge broke/ }).waitFor(WAIT)
  await page.getByLabel('Sandbox').selectOption(two.id)
  await page.getByText('Nothing is known here yet').waitFor(WAIT)
  expect(await page.getByText('hinge').count()).toBe(0)
  await page.getByLabel('Sandbox').selectOption(one.id)
  await ask(page, 'Why did the dock gate fail?')
  await page.getByRole('link', { name: /hinge broke/ }).waitFor(WAIT)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('API key').fill(apiKey)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Ask', level: 1 }).waitFor(WAIT)
  expect(await page.getByText('hinge').count()).toBe(0)
})
