import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seriousFindings } from '../harness/axe.ts'
import { onConsole } from '../harness/console.ts'
import { lines, pdfOf } from '../harness/documents.ts'
import { type GithubServer, openGithubServer } from '../harness/github-server.ts'
import { findMaybeOne, putMaybeOne } from '../harness/maybe-one.ts'
import { RUN_ON } from '../harness/postgres.ts'
import { newSandbox, putRecords } from '../harness/test-app.ts'
import { htmlPage, openWebSite, sitemapOf, type WebSite } from '../harness/web-site.ts'

const WAIT = { timeout: 60_000 }
const MARKDOWN = '# Pumps\n\nPump 9 stopped because it froze.\n'
const PDF = pdfOf([lines(['The quay was closed because its wall sank.'])])
/** Script that drops files onto an element, as dragging them from another window does. */
const DROP = `(place, files) => {
  const dataTransfer = new DataTransfer()
  for (const { name, type, bytes } of files) {
    dataTransfer.items.add(new File([Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0))], name, { type }))
  }
  place.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
}`

const PLACE = `[...document.querySelectorAll('strong')].find((each) => each.textContent.startsWith('Drop files'))`
const ADMIN = { authorization: 'Bearer an-admin-key-of-the-tests' }
const WAITING = { prefer: 'wait=30' }
const DOCK = { external_id: 'd', type: 'note', title: 'Dock', text: 'The dock gate failed because its hinge broke.' }
const MILL = { external_id: 'm', type: 'note', title: 'Mill', text: 'The mill stopped because its belt snapped.' }

/** Asks a question on the current page. */
const asks = async (page: Page, question: string) => {
  await page.getByRole('textbox', { name: /question/i }).fill(question)
  await page.keyboard.press('Enter')
}

describe.each(RUN_ON)('on %s', (kind) => {
  const browser = onConsole({ CAIRN_ALLOW_LOOPBACK: 'on' }, { kind })
  let host: GithubServer
  let site: WebSite
  beforeAll(async () => {
    host = await openGithubServer()
    site = await openWebSite()
  })
  afterAll(async () => {
    await host?.close()
    await site?.close()
  })

  const openIn = async (sandboxId: string) => {
    const page = await browser().open()
    await page.getByLabel('Sandbox', { exact: true }).selectOption(sandboxId)
    return page
  }
  const ask = async (page: Page, question: string) => {
    await page.getByRole('link', { name: 'Ask', exact: true }).click()
    await asks(page, question)
  }

  it('dropped files can be asked about, and a statement links to its record with the passage highlighted', async () => {
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
      const evidence = page.getByRole('complementary', { name: 'Supporting records' }).last()
      await evidence.getByRole('heading', { level: 3 }).getByRole('link').first().click(WAIT)
      await page.locator('article mark', { hasText: passage }).first().waitFor(WAIT)
    }
  })

  it('a source is connected by its form, and its first run is shown', async () => {
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
    await page.getByRole('button', { name: 'GitHub: Polling' }).click(WAIT)
    await page.getByLabel('Name').fill('Code of the dock')
    await page.getByLabel('Provider credential').fill('a-token')
    await page.getByLabel('Repositories').fill('dock/cranes')
    await page.getByLabel('Base URL').fill(host.url)
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

  it('a web site is connected by the address of its sitemap, and its pages are answers', async () => {
    const sandbox = await newSandbox(browser().call, 'Web site')
    site.resources.set('/pier', { body: htmlPage('Pier', 'The pier is closed because its planks rotted.') })
    site.resources.set('/sitemap.xml', { body: sitemapOf(`${site.url}/pier`) })
    const page = await openIn(sandbox.id)
    await page.getByRole('link', { name: 'Sources', exact: true }).click()
    await page.getByRole('button', { name: 'Connect a source' }).click()
    await page.getByRole('button', { name: 'Web page or site: Polling' }).click(WAIT)
    await page.getByLabel('Name').fill('Site of the harbour')
    await page.getByLabel('Sitemap').fill(`${site.url}/sitemap.xml`)
    await page.getByLabel('Interval').selectOption({ label: 'every week' })
    expect(await seriousFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('link', { name: 'See its first run' }).click(WAIT)
    await page.getByRole('table', { name: 'Runs' }).getByText('completed').waitFor(WAIT)
    const { body } = await browser().call('GET', `${sandbox.storage}/sources?provider=web`)
    expect(body.sources).toMatchObject([{ ingestion_mode: 'polling', poll_interval_seconds: 604_800 }])
    await ask(page, 'Why is the pier closed?')
    const passage = page.getByRole('link', { name: /planks rotted/ })
    await passage.first().waitFor(WAIT)
  })

  it('a suggested merge is accepted and undone by keyboard, and answers change accordingly', async () => {
    const { call } = browser()
    const sandbox = await newSandbox(call, 'Merged')
    await putMaybeOne(call, { storage: sandbox.storage, sourceId: sandbox.source }, 'keel')
    await findMaybeOne(call, sandbox.storage, 'keel')
    const page = await openIn(sandbox.id)
    const review = async (key: string) => {
      await page.getByRole('link', { name: 'Review merges', exact: true }).first().click()
      await page.getByRole('tab', { name: 'Suggested' }).waitFor(WAIT)
      if (key === 'a') await page.getByRole('region', { name: 'The pair' }).waitFor(WAIT)
      else await page.getByRole('tab', { name: 'Merged' }).click()
      if (key === 'u') await page.getByRole('main').getByText('Qukeel').first().waitFor(WAIT)
      await page.keyboard.press(key)
    }
    const assertCount = async (many: RegExp) => {
      await ask(page, 'How many messages did Tuuli Qukeel write?')
      await page.getByRole('article').last().getByText(many).first().waitFor(WAIT)
    }
    await assertCount(/There is 1 message/)
    await review('a')
    await page.getByText(/^Merged /).waitFor(WAIT)
    await assertCount(/There are 2 messages/)
    await review('u')
    await expect
      .poll(async () => (await call('GET', `${sandbox.storage}/entities?type=person`)).body.entities.length, WAIT)
      .toBe(2)
    await assertCount(/There is 1 message/)
  })

  it('a new key is shown once, and after it is revoked it signs nobody in', async () => {
    const { open, url } = browser()
    const page = await open('/keys')
    await page.getByLabel('Name of a new key').fill('Console of another tab')
    await page.getByRole('button', { name: 'Make a key' }).click()
    const shown = page.getByRole('alert').locator('pre')
    await shown.waitFor(WAIT)
    const key = String(await shown.textContent())
    await page.reload()
    await page.getByRole('button', { name: 'Revoke Console of another tab' }).waitFor(WAIT)
    expect(await page.content()).not.toContain(key)

    const other = await page.context().browser()!.newPage()
    await other.goto(`${url}/console`)
    await other.getByLabel('API key').fill(key)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.getByRole('button', { name: 'Sign out' }).waitFor(WAIT)
    await page.getByRole('button', { name: 'Revoke Console of another tab' }).click()
    await page.getByRole('button', { name: 'Revoke for good' }).click()
    await page.getByRole('button', { name: 'Revoke for good' }).waitFor({ state: 'detached', ...WAIT })
    await other.goto(`${url}/console/keys`)
    await other.getByText('is revoked or has expired').waitFor(WAIT)
  })

  it('a shared project can be viewed as its viewer, without content outside it or from an earlier view', async () => {
    const { call, open } = browser()
    const sandbox = await newSandbox(call, 'Harbour')
    await putRecords(call, sandbox, [DOCK])
    const { body: other } = await call('POST', `${sandbox.storage}/sources`, { provider: 'slack', name: 'Mill talk' })
    await call('POST', `${sandbox.storage}/sources/${other.data_source_id}/records`, { records: [MILL] }, WAITING)
    const { body: viewer } = await call('POST', '/api/v1/admin/accounts', { display_name: 'Viewer' }, ADMIN)

    const page = await open()
    await page.getByLabel('Sandbox', { exact: true }).selectOption(sandbox.id)
    await asks(page, 'Why did the dock gate fail?')
    await page.getByRole('link', { name: /hinge broke/ }).waitFor(WAIT)
    await page.getByRole('link', { name: 'Projects & sharing' }).click()
    await page.getByLabel('Name of a new project').fill('Milling')
    await page.getByRole('button', { name: 'Make the project' }).click()
    await page.getByLabel('Add a source to Milling').selectOption({ label: 'Mill talk' }, WAIT)
    await page.getByRole('list', { name: 'Sources of Milling' }).getByRole('link', { name: 'Mill talk' }).waitFor(WAIT)
    await page.getByLabel('Account').fill(viewer.user_id)
    await page.getByLabel('What').selectOption({ label: 'Milling' })
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    await page.getByRole('button', { name: 'See what they see' }).click(WAIT)

    await page.getByText('You cannot change anything').waitFor(WAIT)
    expect(await page.getByText('hinge broke').count()).toBe(0)
    await asks(page, 'Why did the mill stop?')
    await page.getByRole('link', { name: /belt snapped/ }).waitFor(WAIT)
    await page.getByRole('link', { name: 'Records' }).click()
    await page.getByRole('link', { name: 'Mill', exact: true }).waitFor(WAIT)
    expect(await page.getByRole('link', { name: 'Dock', exact: true }).count()).toBe(0)
    await page.getByRole('link', { name: 'Projects & sharing' }).click()
    await page.getByText('Only the owner of a sandbox can share it').waitFor(WAIT)
    expect(await page.getByLabel('Name of a new project').count()).toBe(0)

    await page.getByRole('button', { name: 'Back to your own view' }).click()
    await page.getByRole('link', { name: 'Records' }).click()
    await page.getByRole('link', { name: 'Dock', exact: true }).waitFor(WAIT)
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByText('Sandbox read as').first().waitFor(WAIT)
  })
})
