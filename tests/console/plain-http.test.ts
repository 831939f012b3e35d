import { expect, it } from 'vitest'
import { onConsole } from '../harness/console.ts'

const WAIT = { timeout: 20_000 }

// Browsers keep the session cookie only for https and for this machine.
const browser = onConsole({ CAIRN_PUBLIC_URL: 'http://cairn.example:8484' })

it('without https a link signs in one tab, with a key', async () => {
  const { call, visit, url } = browser()
  const { body } = await call('POST', '/api/v1/console/codes')
  const page = await visit(`${url}/console#k=${body.code}`)
  await page.getByText('First account').waitFor(WAIT)
  expect((await call('GET', '/api/v1/api-keys')).body[0]).toMatchObject({ name: 'Console, by a link' })
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByLabel('API key').waitFor(WAIT)
})
