import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { newSandbox, onEachApp } from '../harness/test-app.ts'
import { htmlPage, openWebSite, sitemapOf, type WebSite } from '../harness/web-site.ts'

onEachApp(
  (app) => {
    let site: WebSite
    beforeAll(async () => {
      site = await openWebSite()
    })
    afterAll(() => site.close())
    beforeEach(() => site.resources.clear())

    const start = async (config: object, more: object = {}) => {
      const account = await app().newAccount()
      const sandbox = await newSandbox(account.call)
      const body = { provider: 'web', name: 'Site', ingestion_mode: 'manual', adapter_config: config, ...more }
      const made = await account.call('POST', `${sandbox.storage}/sources`, body)
      const path = `${sandbox.storage}/sources/${made.body.data_source_id}`
      const pull = async () => {
        const { body: asked } = await account.call('POST', `${path}/pull`)
        for (;;) {
          const { body: job } = await account.call('GET', `${sandbox.storage}/ingest/${asked.job_id}`)
          if (job.status !== 'queued' && job.status !== 'processing') return job
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      }
      const records = async () => {
        const { body: found } = await account.call(
          'GET',
          `${sandbox.storage}/records?source=${made.body.data_source_id}`,
        )
        return (found.records as { url: string }[]).map(({ url }) => url.replace(site.url, '')).toSorted()
      }
      return { ...account, sandbox, made, path, pull, records }
    }

    it('a site is read, its changes replace records, and pages that are gone are deleted', async () => {
      const publish = (...paths: string[]) => {
        for (const path of paths) site.resources.set(path, { body: htmlPage(path, `The text of ${path}.`) })
        site.resources.set('/sitemap.xml', { body: sitemapOf(...paths.map((path) => site.url + path)) })
      }
      publish('/one', '/two')
      const it = await start({ sitemap: `${site.url}/sitemap.xml` })
      expect(it.made.status).toBe(201)
      expect(await it.pull()).toMatchObject({ status: 'completed', result: { written: 2, removed: 0 } })
      expect(await it.records()).toEqual(['/one', '/two'])
      // Nothing has changed: no version is written.
      expect(await it.pull()).toMatchObject({ status: 'completed', result: { written: 0, unchanged: 2 } })
      publish('/two', '/three')
      site.resources.set('/two', { body: htmlPage('/two', 'The ferry sails at noon.') })
      expect(await it.pull()).toMatchObject({ result: { written: 2, removed: 1 } })
      expect(await it.records()).toEqual(['/three', '/two'])
      const { body } = await it.call('POST', `${it.sandbox.query}/search`, { query: 'When does the ferry sail?' })
      expect(body.answer).toContain('The ferry sails at noon.')
    })

    it('pages that cannot be read are listed in the job, and a page that was never found is an error', async () => {
      site.resources.set('/a', { body: htmlPage('A', 'The quay is dry.') })
      site.resources.set('/sitemap.xml', { body: sitemapOf(`${site.url}/a`, `${site.url}/missing`) })
      const it = await start({ sitemap: `${site.url}/sitemap.xml` })
      const errors = [{ line: 2, external_id: `${site.url}/missing`, reason: 'not_found' }]
      expect(await it.pull()).toMatchObject({ status: 'completed', result: { received: 2, failed: 1, errors } })
      const page = await start({ url: `${site.url}/missing` })
      expect(await page.pull()).toMatchObject({ status: 'failed' })
      expect((await page.call('GET', page.path)).body.last_error).toBe('not_found')
    })

    it('a source needs exactly one public address, and is never asked for a credential', async () => {
      const configs = [
        {},
        { url: 'ftp://example.com/' },
        { url: 'http://example.com/' },
        { url: 'https://me:word@example.com/' },
        { url: 'https://example.com/', sitemap: 'https://example.com/sitemap.xml' },
      ]
      for (const config of configs) {
        const { made } = await start(config)
        expect(made, JSON.stringify(config)).toMatchObject({ status: 422, body: { error: 'validation_error' } })
      }
      const blocked = await start({ url: 'https://10.0.0.1/' })
      expect(await blocked.pull()).toMatchObject({ status: 'failed' })
      expect((await blocked.call('GET', blocked.path)).body.last_error).toBe('blocked_address')
      const { body } = await blocked.call('GET', `${blocked.sandbox.storage}/providers`)
      const { ways } = body.providers.find(({ provider }: { provider: string }) => provider === 'web')
      expect(ways).toMatchObject([{ ingestion_mode: 'polling', credential: null, settings_in: 'adapter_config' }])
      expect(Object.keys(ways[0].settings.properties)).toEqual(['url', 'sitemap'])
    })

    it('a source whose address changes loses the pages of the old one', async () => {
      for (const path of ['/old', '/new']) site.resources.set(path, { body: htmlPage(path, `The text of ${path}.`) })
      const it = await start({ url: `${site.url}/old` })
      await it.pull()
      expect(await it.records()).toEqual(['/old'])
      await it.call('PATCH', it.path, { adapter_config: { url: `${site.url}/new` } })
      await it.pull()
      expect(await it.records()).toEqual(['/new'])
    })
  },
  { CAIRN_ALLOW_LOOPBACK: 'on' },
)
