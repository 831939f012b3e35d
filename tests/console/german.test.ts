import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { german } from '../../packages/console/src/language/german.ts'
import { axeFindings } from '../harness/axe.ts'
import { CONSOLE_PAGES, OVERHANG, onConsole } from '../harness/console.ts'
import { findMaybeOne, putMaybeOne } from '../harness/maybe-one.ts'
import { newSandbox, putRecords } from '../harness/test-app.ts'

const WAIT = { timeout: 20_000 }
const ADMIN_KEY = 'an-admin-key-of-the-tests'
/** Texts of a page and of its accessible names, except code and texts that are marked as English. */
const TEXTS = `[...document.body.querySelectorAll('*')]
  .filter((each) => !each.closest('[lang="en"], code, pre, noscript, script, style'))
  .flatMap((each) => [
    ...[...each.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data),
    ...['aria-label', 'placeholder', 'title'].map((name) => each.getAttribute(name) ?? ''),
  ])
  .map((text) => text.trim())
  .filter((text) => text !== '')`
/** Words that German sentences do not have. */
const ENGLISH_WORD =
  /(?<![-\w])(?:the|of|and|is|are|to|with|for|from|your|you|this|that|no|not|by|it|has|have|or|on|add|show)(?![-\w])/i
const untranslated = new Set(Object.entries(german).flatMap(([english, text]) => (english === text ? [] : [english])))
/** German texts that are also English keys, such as a badge. */
for (const text of Object.values(german)) untranslated.delete(text)

const browser = onConsole()

const inGerman = async (width: number) => {
  const page = await browser().open('', { width, locale: 'de-DE' })
  const errors: string[] = []
  page.on('console', (said) => {
    if (said.type() === 'error') errors.push(`${page.url()}: ${said.text()}`)
  })
  return { page, errors }
}
const ask = async (page: Page, question: string) => {
  await page.getByRole('textbox', { name: 'Frage' }).fill(question)
  await page.keyboard.press('Enter')
}
const choose = async (page: Page, id: string) => {
  await page.getByRole('banner').waitFor(WAIT)
  const menu = page.getByRole('button', { name: 'Menü' })
  if (await menu.isVisible()) await menu.click()
  await page.getByLabel('Sandbox', { exact: true }).selectOption(id)
}
const assertGerman = async (page: Page, name: string) => {
  await page.getByRole('heading', { level: 1 }).first().waitFor(WAIT)
  await page.waitForLoadState('networkidle')
  const texts = await page.evaluate<string[]>(TEXTS)
  expect
    .soft(
      texts.filter((text) => untranslated.has(text) || ENGLISH_WORD.test(text)),
      name,
    )
    .toEqual([])
  expect.soft(await page.evaluate(OVERHANG), name).toBeLessThanOrEqual(0)
  expect.soft(await axeFindings(page), name).toEqual([])
}
const withContent = async (name: string) => {
  const { call } = browser()
  const sandbox = await newSandbox(call, name)
  await putMaybeOne(call, { storage: sandbox.storage, sourceId: sandbox.source }, 'werft', 'Die Werft tagte.')
  await findMaybeOne(call, sandbox.storage, 'werft')
  const text = 'Die Pumpe 9 wurde am 3. Juni angehalten, weil sie eingefroren war. Ada Berg leitet die Werft.'
  const pump = { external_id: 'p', type: 'note', title: 'Pumpe 9', text, occurred_at: '2026-06-03T08:00:00Z' }
  await putRecords(call, sandbox, [
    { ...pump, author: { name: 'Ada Berg', identifiers: { email: 'ada@werft.example' } } },
  ])
  const [entity] = (await call('GET', `${sandbox.storage}/entities?type=person`)).body.entities
  const [record] = (await call('GET', `${sandbox.storage}/records`)).body.records
  const paths = [`/entities/${entity.canonical_id}`, `/records/${record.record_id}`, `/sources/${sandbox.source}`]
  return { sandbox, paths: [...CONSOLE_PAGES, ...paths] }
}

it('in a German browser every page is in German, fits at both widths, and has no findings or errors', async () => {
  const { sandbox, paths } = await withContent('Notizen der Werft')
  for (const width of [1440, 390]) {
    const { page, errors } = await inGerman(width)
    expect(await page.evaluate('document.documentElement.lang')).toBe('de')
    await choose(page, sandbox.id)
    for (const path of paths) {
      await page.goto(`${browser().url}/console${path}`)
      await assertGerman(page, `${path} at ${width}`)
    }
    expect(errors).toEqual([])
    await page.context().close()
  }
})

it('answers, the search, the menu and the forms of products are in German too', async () => {
  const { sandbox } = await withContent('Buch der Werft')
  for (const width of [1440, 390]) {
    const { page, errors } = await inGerman(width)
    await choose(page, sandbox.id)
    await page.goto(`${browser().url}/console/`)
    await ask(page, 'Warum wurde Pumpe 9 angehalten?')
    await page.getByRole('link', { name: /eingefroren/ }).waitFor(WAIT)
    await page.getByText('Warum diese Antwort?').click()
    await page.getByText(/^Geprüfte Aussagen/).waitFor(WAIT)
    await assertGerman(page, `an answer at ${width}`)
    await page.getByText('Neue Unterhaltung').click()
    await ask(page, 'Wer ist Wilhelmina Zastrow?')
    await page.getByText('Keine Antwort.').waitFor(WAIT)
    await assertGerman(page, `no answer at ${width}`)
    await page.keyboard.press('Control+k')
    await page.getByLabel(/^Seiten, Einträge, Entitäten/).fill('Pumpe')
    await page.getByRole('option', { name: /^Pumpe 9/ }).waitFor(WAIT)
    await assertGerman(page, `search at ${width}`)
    await page.keyboard.press('Escape')
    await page.goto(`${browser().url}/console/sources`)
    await page.getByRole('button', { name: 'Quelle verbinden' }).click()
    const forms = page.getByRole('button', { name: /: (?:Webhook|Abfrage)$/ })
    await forms.first().waitFor(WAIT)
    await assertGerman(page, `products at ${width}`)
    for (let at = 0; at < (await forms.count()); at += 1) {
      const name = await forms.nth(at).getAttribute('aria-label')
      await forms.nth(at).click()
      await page.getByRole('button', { name: 'Verbinden', exact: true }).waitFor(WAIT)
      await page.evaluate("document.querySelectorAll('main details').forEach((each) => { each.open = true })")
      await assertGerman(page, `${name} at ${width}`)
      await page.getByRole('button', { name: 'Anderes wählen' }).click()
    }
    expect(errors).toEqual([])
    await page.context().close()
  }
})

it('sign-in, the operator’s page, and the rows of people and grants are in German too', async () => {
  const { call, url, visit } = browser()
  const sandbox = await newSandbox(call, 'Hafen')
  const { body: invited } = await call('POST', '/api/v1/invitations', { role: 'member', email: 'ada@werft.example' })
  const code = invited.url.slice(invited.url.indexOf('#i=') + 3)
  const { body: member } = await call('POST', '/api/v1/auth/invitation', { code, display_name: 'Ada Berg' })
  await call('POST', '/api/v1/invitations', { role: 'viewer' })
  await call('POST', '/api/v1/groups', { name: 'Leitung', member_ids: [member.member_id] })
  const grantee = { member_id: member.member_id }
  await call('POST', `${sandbox.storage}/connections`, { grantee, role: 'viewer' })
  for (const width of [1440, 390]) {
    const page = await visit(`${url}/console`, { width, locale: 'de-DE' })
    await assertGerman(page, `sign-in at ${width}`)
    await page.getByLabel('API-Schlüssel').fill(ADMIN_KEY)
    await page.getByRole('button', { name: 'Anmelden' }).click()
    await page.getByRole('heading', { name: 'Betreiber', level: 1 }).waitFor(WAIT)
    await page.getByText('Beantwortete Anfragen').waitFor(WAIT)
    await page.getByRole('list', { name: 'Konten' }).waitFor(WAIT)
    await assertGerman(page, `operator at ${width}`)
    await page.context().close()

    const { page: own } = await inGerman(width)
    await choose(own, sandbox.id)
    await own.goto(`${url}/console/people`)
    await own.getByRole('button', { name: 'Zugriff zeigen: Ada Berg' }).click()
    await own.getByRole('list', { name: 'Freigegeben für Ada Berg' }).getByText('Liest die ganze Sandbox').waitFor(WAIT)
    await assertGerman(own, `a member at ${width}`)
    await own.goto(`${url}/console/projects`)
    await own.getByText('Liest die ganze Sandbox').waitFor(WAIT)
    await assertGerman(own, `a grant at ${width}`)
    await own.goto(`${url}/console/people`)
    await own.getByRole('button', { name: 'Zugriff zeigen: Ada Berg' }).click()
    await own.getByRole('button', { name: 'Deren Ansicht zeigen: Hafen' }).click()
    await own.getByText(/^Sie sehen diese Sandbox als Ada Berg/).waitFor(WAIT)
    await own.getByText(/^In dieser Sandbox ist noch nichts gespeichert/).waitFor(WAIT)
    await assertGerman(own, `another view at ${width}`)
    await own.context().close()
  }
})

it('the language is switched in the menu, and the browser keeps it', async () => {
  const page = await browser().open('/records', { locale: 'de-DE' })
  await page.getByRole('heading', { name: 'Einträge', exact: true }).waitFor(WAIT)
  await page.getByRole('button', { name: 'English' }).click()
  await page.getByRole('heading', { name: 'Records', exact: true }).waitFor(WAIT)
  await page.reload()
  await page.getByRole('heading', { name: 'Records', exact: true }).waitFor(WAIT)
  expect(await page.evaluate('document.documentElement.lang')).toBe('en')
})
