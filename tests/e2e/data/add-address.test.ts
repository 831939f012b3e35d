import { afterAll, beforeAll, expect, it } from 'vitest'
import { CLI_BIN, runCommand } from '../../harness/command.ts'
import { type ServedCommandLine, serveCommandLine } from '../../harness/served-command-line.ts'
import { htmlPage, openWebSite, sitemapOf, type WebSite } from '../../harness/web-site.ts'

let site: WebSite
let served: ServedCommandLine
const cairn = (...args: string[]) => runCommand(CLI_BIN, args, served.place, served.settings)

beforeAll(async () => {
  site = await openWebSite()
  served = await serveCommandLine({ CAIRN_ALLOW_LOOPBACK: 'on', CAIRN_ENCODER: 'off' })
  const made = await cairn('sandboxes', 'create', 'Pages', '--json')
  served.settings.CAIRN_SANDBOX = JSON.parse(made.stdout).sandbox_id
})
afterAll(async () => {
  await served.stop()
  await site.close()
})

it('a page and a site are added by their address, read again on request, and asked about', async () => {
  site.resources.set('/ferry', { body: htmlPage('Ferry', 'The ferry sails at noon.') })
  site.resources.set('/pier', { body: htmlPage('Pier', 'The pier was repaired in May.') })
  const listed = [`${site.url}/pier`, `${site.url}/missing`]
  site.resources.set('/sitemap.xml', { body: sitemapOf(...listed), type: 'application/xml' })
  const page = await cairn('add', `${site.url}/ferry#times`)
  expect(page).toMatchObject({ code: 0, stdout: expect.stringContaining('1 record written, 0 unchanged') })
  const whole = await cairn('add', `${site.url}/sitemap.xml`)
  expect(whole).toMatchObject({ code: 3, stdout: expect.stringContaining(`${site.url}/missing`) })
  expect(await cairn('ask', 'When was the pier repaired?')).toMatchObject({ stdout: expect.stringContaining('in May') })
  // The same address is the same source.
  expect((await cairn('add', `${site.url}/ferry`)).stdout).toContain('0 records written, 1 unchanged')
  const sources = JSON.parse((await cairn('sources', 'list', '--json')).stdout)
  const kept = sources.map(({ provider, poll_interval_seconds: seconds }: Record<string, unknown>) => [
    provider,
    seconds,
  ])
  expect(kept).toEqual([
    ['web', 86_400],
    ['web', 86_400],
  ])
  expect(await cairn('add', `${site.url}/none`)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('is failed'),
  })
  expect(await cairn('add', '--sync', `${site.url}/ferry`)).toMatchObject({ code: 2 })
})
