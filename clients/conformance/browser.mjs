// Tests the client in a browser, from a page of another origin. Prints a JSON line for each tested behavior.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const DIST = fileURLToPath(new URL('../../packages/client/dist/', import.meta.url))

/** Serves the published client to pages of a separate origin. */
export async function openPages() {
  const server = createServer((request, reply) => {
    const path = normalize(request.url ?? '/')
    if (!path.startsWith('/client/'))
      return void reply.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>')
    const text = readFileSync(join(DIST, path.slice('/client/'.length)))
    reply.writeHead(200, { 'content-type': 'text/javascript' }).end(text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close().closeAllConnections() }
}

/** Function that tests the client within a page. Returns the results by id of the list. */
const IN_PAGE = `async ({ url, apiKey, name }) => {
  const { Cairn, UnauthorizedError, UnansweredError } = await import('/client/index.js')
  const account = new Cairn({ url, apiKey })
  const { sandbox_id: sandbox } = await account.createSandbox({ name })
  const cairn = new Cairn({ url, apiKey, sandbox })
  const failure = (call) => call.then(() => undefined, (error) => error)
  const results = {}
  const job = await cairn.add('Priya Raman moved the launch to 3 June.')
  results.common = job.status === 'completed' && (await cairn.ask('When is the launch?')).answer.includes('3 June')
  const file = await cairn.add(new File(['# Pumps\\n\\nPump 7 stopped.\\n'], 'pumps.md'))
  results.add_path = file.result.written === 1
  const refused = await failure(new Cairn({ url, apiKey: 'cairn_none' }).getProfile())
  results.auth = refused instanceof UnauthorizedError && refused.requestId !== undefined
  const { data_source_id: source_id } = await cairn.createSource({ provider: 'notes', name: 'Notes' })
  const notes = async function* () {
    for (let at = 0; at < 7; at += 1) yield { external_id: 'n' + at, type: 'note', text: 'Pump ' + at + ' stopped.' }
  }
  const sent = await cairn.putRecords({ source_id, records: notes() }, { waitSeconds: 30 })
  results.lines_up = sent.result.received === 7
  const ids = new Set()
  for await (const { record_id } of cairn.listRecords({ source_id, limit: 2 })) ids.add(record_id)
  results.pages = ids.size === 7
  let text = ''
  const answer = cairn.streamAsk('When is the launch?')
  for await (const { delta } of answer) text += delta
  results.streamed_search = text.includes('3 June') && (await answer.result()).answer.includes('3 June')
  let etag
  await cairn.getSandbox({ sandbox_id: sandbox }, { onReply: (reply) => { etag = reply.headers.get('etag') } })
  results.version = etag !== null
  const key = crypto.getRandomValues(new Uint8Array(32))
  const { sandbox_id: sealed } = await account.createSandbox({ name: name + ' sealed' })
  const owner = new Cairn({ url, apiKey, sandbox: sealed, encryptionKey: key, encryptsKey: true })
  await owner.add('The safe stands in the cellar.')
  results.key_token = (await owner.ask('Where does the safe stand?')).answer.includes('cellar')
  results.cookies = document.cookie === ''
  return results
}`

/**
 * Tests the client in the installed browser: from a page whose origin the service allows, and from one that it does
 * not.
 * @param {{ url: string, apiKey: string, origin: string, stranger: string, executable: string }} given
 * @returns {Promise<Record<string, boolean>>}
 */
export async function tryInBrowser({ url, apiKey, origin, stranger, executable }) {
  const browser = await chromium.launch({ executablePath: executable, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    await page.goto(origin)
    const name = `In a browser ${origin}`
    const results = await page.evaluate(`(${IN_PAGE})(${JSON.stringify({ url, apiKey, name })})`)
    await page.goto(stranger)
    const from = `async ({ url, apiKey }) => {
      const { Cairn } = await import('/client/index.js')
      return new Cairn({ url, apiKey, retries: 0 }).getProfile().then(() => 'answered', (error) => error.name)
    }`
    const refused = await page.evaluate(`(${from})(${JSON.stringify({ url, apiKey })})`)
    return { .../** @type {Record<string, boolean>} */ (results), stranger: refused === 'UnansweredError' }
  } finally {
    await browser.close()
  }
}
