import { randomBytes } from 'node:crypto'
import { Cairn } from '@cairnstore/client'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { onConsole } from '../harness/console.ts'
import { newSandbox, putRecords } from '../harness/test-app.ts'

const WAIT = { timeout: 20_000 }
const OVERHANG = 'document.documentElement.scrollWidth - innerWidth'
const IDENTIFIERS = 10_000
/** Maximum identifiers of one record, in addition to the address that all records share. */
const IDENTIFIERS_OF_RECORD = 31
const ENTITIES = 400
/** Maximum DOM rows of a list of any length: the visible rows and some above and below. */
const ROWS_DRAWN_MAX = 60

const browser = onConsole()

const openIn = async (sandboxId: string, path = '') => {
  const page = await browser().open()
  await page.getByLabel('Sandbox', { exact: true }).selectOption(sandboxId)
  if (path) await page.goto(`${browser().url}/console${path}`)
  return page
}
const scrollToEnd = (page: Page) => page.evaluate('scrollTo(0, document.body.scrollHeight)')

/** A retry of the test must use the same key, because the sandbox already exists. */
const encryptionKey = randomBytes(32).toString('base64')

it('encrypted content asks for the key, reports a wrong key, and forgets it on reload', async () => {
  const { call, url, apiKey } = browser()
  const sandbox = await newSandbox(call, 'Sealed')
  const caller = new Cairn({ url, apiKey, sandbox: sandbox.id, encryptionKey })
  await caller.add('The vault was opened because its lock rusted.')
  const page = await openIn(sandbox.id, '/records')
  const field = page.getByLabel('The sandbox’s key')
  const use = page.getByRole('button', { name: 'Use this key' })
  await field.fill('nonsense')
  await page.getByText('This is not a key').waitFor(WAIT)
  expect(await use.isDisabled()).toBe(true)
  await field.fill(randomBytes(32).toString('base64'))
  await use.click()
  await page.getByText('does not decrypt the sandbox').waitFor(WAIT)
  await field.fill(encryptionKey)
  await use.click()
  await page.getByRole('link', { name: /The vault was opened/ }).waitFor(WAIT)
  const kept = await page.evaluate<string>('JSON.stringify([sessionStorage, localStorage, document.cookie])')
  expect(kept).not.toContain(encryptionKey)
  await page.reload()
  await field.waitFor(WAIT)
})

it('a slow reply blocks only its own part of the page, and an unreachable service is asked again', async () => {
  const { call } = browser()
  const sandbox = await newSandbox(call, 'Slow')
  const slipway = { external_id: 's', type: 'note', title: 'Slipway', text: 'The slipway is dry.', author: 'Ada Berg' }
  await putRecords(call, sandbox, [slipway])
  const page = await openIn(sandbox.id)
  let answer: () => void = () => undefined
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/sources?*', async (route) => {
    await answered
    await route.continue()
  })
  await page.getByRole('link', { name: 'Sources', exact: true }).click()
  await page.getByRole('status', { name: 'Loading' }).waitFor(WAIT)
  await page.getByRole('link', { name: 'Records', exact: true }).click()
  await page.getByRole('link', { name: 'Slipway' }).waitFor(WAIT)
  answer()
  await page.getByRole('link', { name: 'Sources', exact: true }).click()
  await page.getByRole('heading', { level: 2 }).first().waitFor(WAIT)

  await page.route('**/entities?*', (route) => route.abort())
  await page.getByRole('link', { name: 'Entities', exact: true }).click()
  await page.getByText('This could not be shown').waitFor(WAIT)
  await page.unroute('**/entities?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('table', { name: 'Entities' }).waitFor(WAIT)
})

it('an entity with ten thousand identifiers shows the first ones', async () => {
  const { call } = browser()
  const sandbox = await newSandbox(call, 'Many')
  const logins = Array.from({ length: IDENTIFIERS }, (_, at) => `login-${at}`)
  const records = Array.from({ length: Math.ceil(IDENTIFIERS / IDENTIFIERS_OF_RECORD) }, (_, at) => {
    const login = logins.slice(at * IDENTIFIERS_OF_RECORD, (at + 1) * IDENTIFIERS_OF_RECORD)
    const author = { name: 'Many Names', identifiers: { email: 'many@example.com', login } }
    return { external_id: `m${at}`, type: 'note', text: 'Seen.', author }
  })
  await putRecords(call, sandbox, records)
  const page = await openIn(sandbox.id, '/entities')
  await page.getByRole('link', { name: 'Many Names' }).click(WAIT)
  await page.getByText(/and 9,9\d\d more/).waitFor(WAIT)
  expect(await page.getByRole('checkbox').count()).toBeLessThanOrEqual(ROWS_DRAWN_MAX)
  expect(await page.evaluate(OVERHANG)).toBeLessThanOrEqual(0)
})

it('a long list renders only its visible rows, and loads page by page to its end', async () => {
  const { call } = browser()
  const sandbox = await newSandbox(call, 'Long')
  const records = Array.from({ length: ENTITIES }, (_, at) => {
    const name = `Berth ${at}`
    return {
      external_id: name,
      type: 'note',
      title: name,
      entities: [{ type: 'berth', name, identifiers: { key: name } }],
    }
  })
  await putRecords(call, sandbox, records)
  const page = await openIn(sandbox.id, '/entities')
  const table = page.getByRole('table', { name: 'Entities' })
  await table.waitFor(WAIT)
  const known = async () => {
    await scrollToEnd(page)
    expect(await table.getByRole('row').count()).toBeLessThanOrEqual(ROWS_DRAWN_MAX)
    return Number(await table.getAttribute('aria-rowcount'))
  }
  await expect.poll(known, WAIT).toBe(ENTITIES)
})
