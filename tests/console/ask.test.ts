import { expect, it } from 'vitest'
import { onConsole } from '../harness/console.ts'
import { NOTES } from '../harness/console-notes.ts'
import { newSandbox, putRecords } from '../harness/test-app.ts'

const WAIT = { timeout: 20_000 }

/** Expression for the pixels by which the page is wider than the window. */
const OVERHANG = 'document.documentElement.scrollWidth - innerWidth'
const KEPT = '[JSON.stringify(localStorage), document.cookie, JSON.stringify(sessionStorage)]'

const browser = onConsole()

let made = 0
const sandboxWith = async (records: object[]) => {
  const { call } = browser()
  made += 1
  const sandbox = await newSandbox(call, `Notes ${made}`)
  await putRecords(call, sandbox, records)
  return sandbox
}

it('a question is answered, and clicking a statement shows its record with the passage highlighted', async () => {
  const sandbox = await sandboxWith(NOTES)
  const page = await browser().open()
  await page.getByLabel('Sandbox', { exact: true }).selectOption(sandbox.id)
  await page.getByRole('textbox', { name: 'Question' }).fill('Why did pump 7 stop?')
  await page.keyboard.press('Enter')
  const statement = page.getByRole('link', { name: /full of sand/ })
  await statement.click(WAIT)
  const evidence = page.getByRole('complementary', { name: 'Supporting records' })
  expect(await evidence.locator('mark').first().textContent()).toContain('filter was full of sand')
  const out = evidence.getByRole('link', { name: 'Open at its source' })
  expect(await out.getAttribute('href')).toBe('https://notes.example/n1')
  expect(await out.getAttribute('rel')).toBe('noopener noreferrer')

  await evidence.getByRole('link', { name: 'Pump 7' }).click()
  await page.getByRole('heading', { name: 'Pump 7', level: 1 }).waitFor(WAIT)
  expect(await page.locator('article mark').first().textContent()).toContain('filter was full of sand')
})

it('a follow-up uses the conversation; without an answer the nearest records are shown', async () => {
  const sandbox = await sandboxWith(NOTES)
  const page = await browser().open()
  await page.getByLabel('Sandbox', { exact: true }).selectOption(sandbox.id)
  await page.getByRole('textbox', { name: 'Question' }).fill('Why did pump 7 stop?')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: /full of sand/ }).waitFor(WAIT)
  await page.getByRole('textbox', { name: 'Follow-up question' }).fill('Who cleaned it?')
  await page.keyboard.press('Enter')
  await page.getByRole('article', { name: 'Question 2' }).getByText('Ada Berg').first().waitFor(WAIT)
  await page.getByRole('textbox', { name: 'Follow-up question' }).fill('Who likes parachutes in Mongolia?')
  await page.keyboard.press('Enter')
  await page.getByText('No answer.').waitFor(WAIT)
})

it("a record's text is rendered as text: it runs nothing and does not break the page", async () => {
  const word = `<img src=x onerror="alert(1)"><script>alert(2)</script>`
  const title = `${word} \u202edrow\u2066 ${'very'.repeat(400)}`
  const statement = `The ferry sank because its bow door stood open. The mate said ${word} \u202edetsurt.`
  const text = `${statement} ${'x'.repeat(100_000)}`
  const url = 'https://example.com/"><script>alert(3)</script>'
  const sandbox = await sandboxWith([{ external_id: 'h', type: 'note', title, text, url }])
  for (const width of [1280, 390]) {
    const page = await browser().open('', { width })
    const menu = page.getByRole('button', { name: 'Menu' })
    if (width < 800) await menu.click()
    await page.getByLabel('Sandbox', { exact: true }).selectOption(sandbox.id)
    if (width < 800 && (await menu.getAttribute('aria-expanded')) === 'true') await menu.click()
    await page.getByRole('textbox', { name: 'Question' }).fill('Why did the ferry sink?')
    await page.keyboard.press('Enter')
    await page.locator('section h3 a').first().waitFor(WAIT)
    expect(await page.locator('main img, main script').count()).toBe(0)
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
    expect(await page.evaluate("document.body.innerText.includes('\\u202e')")).toBe(false)
    expect(await page.evaluate(OVERHANG)).toBeLessThanOrEqual(0)
    await page.locator('section h3 a').first().click()
    await page.locator('article h1').waitFor(WAIT)
    expect(await page.evaluate(OVERHANG)).toBeLessThanOrEqual(0)
    await page.context().close()
  }
  expect(browser().faults).toEqual([])
})

it('the key survives a reload, is in no address or cookie, and is gone after signing out', async () => {
  await sandboxWith(NOTES)
  const { open, apiKey, url } = browser()
  const page = await open()
  await page.reload()
  await page.getByRole('button', { name: 'Sign out' }).waitFor(WAIT)
  expect(page.url()).toBe(`${url}/console`)
  const kept = await page.evaluate<string[]>(KEPT)
  expect(kept[0]).not.toContain(apiKey)
  expect([kept[1], kept[2]?.includes(apiKey)]).toEqual(['', true])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('API key').waitFor(WAIT)
  expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(apiKey)
  await page.getByLabel('API key').fill(`${apiKey.slice(0, -6)}000000`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor(WAIT)
})
