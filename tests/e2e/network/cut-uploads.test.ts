import { request } from 'node:http'
import { expect, it } from 'vitest'
import { newSandbox, onEachApp } from '../../harness/test-app.ts'

/** More than the maximum number of concurrent uploads of one account. */
const TIMES = 5
const FORM = 'multipart/form-data; boundary=b'
const PART = '--b\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\n'
const OFTEN = { interval: 20 }

/** Kinds of bodies, each with its media type and the bytes that are sent before the client disconnects. */
const BODIES: [string, string, Buffer][] = [
  ['a form', FORM, Buffer.from(`${PART}${'x'.repeat(200_000)}`)],
  ['a zip', 'application/zip', Buffer.from(`PK\x03\x04${'x'.repeat(200_000)}`)],
  ['a tar', 'application/x-tar', Buffer.alloc(200_000, 'x')],
  ['a file', 'text/plain', Buffer.alloc(200_000, 'x')],
  ['lines', 'application/x-ndjson', Buffer.from(`${'{"a":1}\n'.repeat(100)}{"a`)],
]

onEachApp(
  (app) => {
    let listening: Promise<string> | undefined

    it.each(BODIES)('an interrupted upload of %s releases its slot', async (_, type, sent) => {
      const { key, call } = await app().newAccount()
      const { storage } = await newSandbox(call)
      listening ??= app().cairn.listen()
      const address = await listening
      const { spools } = app().cairn.app
      const isLines = type === 'application/x-ndjson'
      for (let times = 0; times < TIMES; times += 1) {
        const headers = { authorization: `Bearer ${key}`, 'content-type': type, 'content-length': 1_000_000 }
        const sending = request(`${address}${storage}/import?path=a.txt`, { method: 'POST', headers })
        sending.on('error', () => undefined)
        const written = new Promise((resolve) => sending.write(sent, resolve))
        // NDJSON is not spooled, so the client disconnects once it has sent everything.
        if (isLines) await written
        else await expect.poll(() => spools.count(), OFTEN).toBe(1)
        sending.destroy()
        await expect.poll(() => spools.count(), OFTEN).toBe(0)
      }
      const taken = await call('POST', `${storage}/import?path=a.txt`, 'The quay is dry.', {
        'content-type': 'text/plain',
      })
      expect(taken.status).toBe(202)
      const job = `${storage}/ingest/${taken.body.job_id}`
      await expect.poll(async () => (await call('GET', job)).body.status, OFTEN).toBe('completed')
      await spools.idle()
    })
  },
  { CAIRN_PORT: '0' },
)
