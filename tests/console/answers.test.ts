import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { seriousFindings } from '../harness/axe.ts'
import { onConsole } from '../harness/console.ts'
import { NOTES } from '../harness/console-notes.ts'
import { newSandbox, putRecords } from '../harness/test-app.ts'

const WAIT = { timeout: 20_000 }
const OVERHANG = 'document.documentElement.scrollWidth - innerWidth'
const FOCUSED = 'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent'

const browser = onConsole()
let made = 0

const openWith = async (records: object[], look?: { width: number }) => {
  made += 1
  const sandbox = await newSandbox(browser().call, `Answers ${made}`)
  await putRecords(browser().call, sandbox, records)
  const page = await browser().open('', look)
  await page.getByLabel('Sandbox', { exact: true }).selectOption(sandbox.id)
  return { page, sandbox }
}
const ask = async (page: Page, question: string) => {
  await page.getByRole('textbox', { name: /question/i }).fill(question)
  await page.keyboard.press('Enter')
}
const ADDRESS = /\/console\/answers\/(ans_\w+)/

it('an answer has an address: a reload shows the same conversation, which can be continued', async () => {
  const { page } = await openWith(NOTES)
  await ask(page, 'Why did pump 7 stop?')
  await page.waitForURL(ADDRESS, WAIT)
  expect(await page.evaluate(FOCUSED)).toBe('Follow-up question')
  await ask(page, 'Who cleaned it?')
  await page.getByRole('article', { name: 'Question 2' }).getByText('Ada Berg').first().waitFor(WAIT)
  await page.waitForURL(/after=ans_/, WAIT)
  await page.reload()
  await page.getByRole('heading', { name: 'Why did pump 7 stop?', level: 1 }).waitFor(WAIT)
  await page.getByRole('heading', { name: 'Who cleaned it?', level: 2 }).waitFor(WAIT)
  const statement = page.getByRole('link', { name: /full of sand/ }).first()
  await statement.click()
  const evidence = page.getByRole('complementary', { name: 'Supporting records' }).first()
  expect(await evidence.locator('mark').first().textContent()).toContain('filter was full of sand')
  await ask(page, 'When was that?')
  await page.getByRole('article', { name: 'Question 3' }).waitFor(WAIT)
  await page.waitForURL(/after=ans_\w+\.ans_/, WAIT)
  await page.goBack()
  await page.getByRole('article', { name: 'Question 3' }).waitFor({ state: 'detached', ...WAIT })
  await page.getByRole('article', { name: 'Question 2' }).waitFor(WAIT)
})

it("a person's answers are listed, and an answer is deleted after a confirmation", async () => {
  const { page } = await openWith(NOTES)
  await ask(page, 'Why did pump 7 stop?')
  await page.waitForURL(ADDRESS, WAIT)
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('heading', { name: 'History', level: 1 }).waitFor(WAIT)
  expect(await page.evaluate(FOCUSED)).toBe('History')
  await page.getByRole('table', { name: 'Answers' }).getByRole('link', { name: 'Why did pump 7 stop?' }).click(WAIT)
  await page.getByRole('link', { name: /full of sand/ }).waitFor(WAIT)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete it for good' }).click()
  await page.getByText('There are no answers yet').waitFor(WAIT)
})

it('feedback with a note is stored, and shown again after a reload', async () => {
  const { page, sandbox } = await openWith(NOTES)
  await ask(page, 'Why did pump 7 stop?')
  await page.waitForURL(ADDRESS, WAIT)
  const [, answerId] = ADDRESS.exec(page.url())!
  await page.getByRole('button', { name: 'Partly right' }).click()
  await page.getByLabel('What would be right?').fill('The impeller also broke.')
  await page.getByRole('button', { name: 'Save the note' }).click()
  await page.getByText('Your feedback is stored').waitFor(WAIT)
  const { body } = await browser().call('GET', `${sandbox.query}/feedback`)
  expect(body.feedback).toMatchObject([
    { answer_id: answerId, verdict: 'partly', note: 'The impeller also broke.', query: 'Why did pump 7 stop?' },
  ])
  await page.reload()
  await expect
    .poll(() => page.getByRole('button', { name: 'Partly right' }).getAttribute('aria-pressed'), WAIT)
    .toBe('true')
})

it('an answer explains which statements were considered, also after a reload, and names no model', async () => {
  const { page, sandbox } = await openWith(NOTES)
  await ask(page, 'Why did pump 7 stop?')
  await page.waitForURL(ADDRESS, WAIT)
  for (const isReloaded of [false, true]) {
    if (isReloaded) await page.reload()
    await page.getByText('Why this answer?').click(WAIT)
    const chosen = page.locator('li[data-is-chosen="true"]').first()
    await chosen.getByText(/filter was full of sand/).waitFor(WAIT)
    expect(await chosen.textContent()).toMatch(/\d+ %.*In the answer: /)
    await page.getByRole('heading', { name: 'How the question was interpreted' }).waitFor(WAIT)
    await page.getByText('Quoted and computed from records, without a language model').waitFor(WAIT)
  }
  // Explaining stores no answer.
  expect((await browser().call('GET', `${sandbox.query}/answers`)).body.answers).toHaveLength(1)
})

it('a colleague reads an answer at its address only while it is shared, and cannot share or delete it', async () => {
  const { call, visit, url } = browser()
  const { page } = await openWith(NOTES)
  await ask(page, 'Why did pump 7 stop?')
  await page.waitForURL(ADDRESS, WAIT)
  const address = `${url}/console/answers/${ADDRESS.exec(page.url())![1]}`
  const colleague = await visit((await call('POST', '/api/v1/invitations', { role: 'admin' })).body.url)
  await colleague.getByLabel('Your name').fill('Ada Lind')
  await colleague.getByRole('button', { name: 'Join' }).click()
  await colleague.getByText('Ada Lind').first().waitFor(WAIT)
  await colleague.goto(address)
  await colleague.getByText('Not found, or no access').waitFor(WAIT)

  await page.getByRole('button', { name: 'Share with your account' }).click()
  await page.getByRole('button', { name: 'Copy link' }).waitFor(WAIT)
  await colleague.reload()
  await colleague.getByRole('link', { name: /full of sand/ }).waitFor(WAIT)
  await colleague.getByRole('button', { name: 'Copy with citations' }).waitFor(WAIT)
  expect(await colleague.getByRole('button', { name: /^(?:Stop sharing|Delete)$/ }).count()).toBe(0)

  await page.getByRole('button', { name: 'Stop sharing' }).click()
  await page.getByRole('button', { name: 'Share with your account' }).waitFor(WAIT)
  await colleague.reload()
  await colleague.getByText('Not found, or no access').waitFor(WAIT)
})

it('an answer is copied with its citations', async () => {
  const { page } = await openWith(NOTES)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await ask(page, 'Why did pump 7 stop?')
  await page.waitForURL(ADDRESS, WAIT)
  await page.getByRole('button', { name: 'Copy with citations' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor(WAIT)
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(copied).toMatch(/^Why did pump 7 stop\?\n\n.*full of sand.* \[1\]\n/)
  expect(copied).toMatch(/\n\[1\] Pump 7, .*2026, https:\/\/notes\.example\/n1$/)
})

it('the outcomes look different, have no serious axe findings, and fit 390 px', async () => {
  const { page } = await openWith(NOTES)
  for (const [question, outcome] of [
    ['Why did pump 7 stop?', 'answered'],
    ['Who likes parachutes in Mongolia?', 'nothing'],
  ] as const) {
    await page.getByRole('link', { name: 'Ask', exact: true }).click()
    await ask(page, question)
    await page.waitForURL(ADDRESS, WAIT)
    await page.locator(`[data-outcome="${outcome}"]`).waitFor(WAIT)
    if (outcome === 'nothing')
      await page.getByRole('region', { name: 'No answer' }).getByText('No answer.').waitFor(WAIT)
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await seriousFindings(page), `${outcome} at ${width}`).toEqual([])
      expect(await page.evaluate(OVERHANG)).toBeLessThanOrEqual(0)
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  }
  expect(browser().faults).toEqual([])
})
