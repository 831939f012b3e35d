import { expect, it } from 'vitest'
import { seriousFindings } from '../harness/axe.ts'
import { onConsole } from '../harness/console.ts'
import { newSandbox, putRecords } from '../harness/test-app.ts'

const WAIT = { timeout: 20_000 }
const DOCK = { external_id: 'd', type: 'note', title: 'Dock', text: 'The dock gate failed because its hinge broke.' }

const browser = onConsole()

it('a person joins by a link, sees what is shared with them, and nothing once they are removed', async () => {
  const { call, open, visit, url } = browser()
  const sandbox = await newSandbox(call, 'Harbour')
  await putRecords(call, sandbox, [DOCK])

  const admin = await open('/people')
  await admin.getByText('Nobody has joined yet').waitFor(WAIT)
  await admin.getByLabel('Role').selectOption('viewer')
  await admin.getByRole('button', { name: 'Make a link' }).click()
  const link = await admin.getByText(`${url}/console#i=`).textContent(WAIT)

  const person = await visit(link!.trim())
  await person.getByRole('heading', { name: 'Join a team on Cairn' }).waitFor(WAIT)
  expect(person.url()).toBe(`${url}/console`)
  await person.getByLabel('Your name').fill('Ada Lind')
  await person.getByRole('button', { name: 'Join' }).click()
  await person.getByText('Ada Lind').first().waitFor(WAIT)
  await person.getByText('Nothing is shared with you yet').waitFor(WAIT)
  expect(await person.getByRole('button', { name: 'Make the sandbox' }).count()).toBe(0)
  await person.goto(`${url}/console/people`)
  await person.getByText('Viewers cannot see the members').waitFor(WAIT)

  await admin.reload()
  await admin.getByText('Ada Lind').waitFor(WAIT)
  await admin.getByLabel('Name of a new group').fill('Dockers')
  await admin.getByRole('button', { name: 'Make the group' }).click()
  await admin.getByRole('button', { name: 'Change members: Dockers' }).click()
  await admin.getByRole('combobox', { name: 'Members of Dockers' }).click()
  await admin.getByRole('option', { name: 'Ada Lind' }).click()
  await admin.keyboard.press('Escape')
  await admin.getByRole('button', { name: 'Save' }).click()
  await admin.getByRole('list', { name: 'Groups' }).getByText('Ada Lind').waitFor(WAIT)

  await admin.getByRole('link', { name: 'Projects & sharing' }).click()
  await admin.getByLabel('With').selectOption({ label: 'Group: Dockers' })
  await admin.getByRole('button', { name: 'Share', exact: true }).click()
  await admin.locator('li', { hasText: 'Dockers' }).getByText('Reads the whole sandbox').waitFor(WAIT)

  await admin.getByRole('link', { name: 'People', exact: true }).click()
  await admin.getByRole('button', { name: 'What they see: Ada Lind' }).click()
  const shared = admin.getByRole('list', { name: 'Shared with Ada Lind' })
  await shared.getByText('Reads the whole sandbox · Group: Dockers').waitFor(WAIT)
  expect(await shared.getByRole('listitem').count()).toBe(1)
  expect(await seriousFindings(admin)).toEqual([])

  await person.goto(`${url}/console`)
  await person.getByRole('textbox', { name: /question/i }).fill('Why did the dock gate fail?')
  await person.keyboard.press('Enter')
  await person.getByRole('link', { name: /hinge broke/ }).waitFor(WAIT)

  await person.goto(`${url}/console/sources`)
  await person.getByRole('heading', { name: 'Sources' }).waitFor(WAIT)
  expect(await person.getByRole('button', { name: 'Connect a source' }).count()).toBe(0)
  await person.goto(`${url}/console/add`)
  await person.getByText('You can only read this sandbox').waitFor(WAIT)
  await person.goto(`${url}/console/projects`)
  await person.getByText('Only the owner of a sandbox can share it').waitFor(WAIT)

  await admin.goto(`${url}/console/people`)
  await admin.getByRole('button', { name: 'Remove: Ada Lind' }).click()
  await admin.getByRole('button', { name: 'Remove for good: Ada Lind' }).click()
  await admin.getByText('Nobody has joined yet').waitFor(WAIT)
  await person.reload()
  await person.getByLabel('API key').waitFor(WAIT)
  expect(await person.getByText('hinge').count()).toBe(0)
})

it('a used invitation says so', async () => {
  const { call, visit } = browser()
  const { body } = await call('POST', '/api/v1/invitations', { role: 'member' })
  const code = body.url.slice(body.url.indexOf('#i=') + 3)
  await call('POST', '/api/v1/auth/invitation', { code, display_name: 'First' })
  const page = await visit(body.url)
  await page.getByLabel('Your name').fill('Second')
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('alert').waitFor(WAIT)
  await page.getByRole('button', { name: 'Not now' }).click()
  await page.getByLabel('API key').waitFor(WAIT)
})
