import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AuthorizationServer, openAuthorizationServer } from '../harness/authorization-server.ts'
import { CLI_BIN, runCommand } from '../harness/command.ts'
import { type HostedServer, openHostedServer } from '../harness/hosted-server.ts'
import { type ServedCommandLine, serveCommandLine } from '../harness/served-command-line.ts'

let served: ServedCommandLine
let as: AuthorizationServer
let hosted: HostedServer

beforeAll(async () => {
  served = await serveCommandLine({ CAIRN_ALLOW_LOOPBACK: 'on', CAIRN_ENCODER: 'off' })
  as = await openAuthorizationServer()
  hosted = await openHostedServer(as)
})
afterAll(async () => {
  await served?.stop()
  await hosted?.close()
  await as?.close()
})

const run = (...args: string[]) => runCommand(CLI_BIN, args, served.place, served.settings)

/** Consents as a browser does and returns the confirmation code of the page. */
async function codeFor(url: string): Promise<string> {
  const page = await (await fetch(await as.consent(url), { headers: { accept: 'text/html' } })).text()
  return /<code id="confirmation">([^<]+)</.exec(page)?.[1] ?? ''
}

it("connects a hosted server with a link and the browser's code; doctor lists a waiting source", async () => {
  await run('sandboxes', 'create', 'Harbour')
  const begun = await run('sources', 'connect', hosted.url, 'Tickets', '--no-wait', '--json')
  expect(begun, begun.stderr).toMatchObject({ code: 0 })
  const { data_source_id: id, name, authorization } = JSON.parse(begun.stdout)
  expect([name, authorization.state]).toEqual(['Tickets', 'pending'])
  const doctor = await run('doctor', '--json')
  expect(JSON.parse(doctor.stdout)).toContainEqual({
    about: 'source',
    is_good: false,
    sentence: expect.stringContaining(`cairn sources authorize ${id}`),
  })
  const done = await run('sources', 'authorize', id, '--code', await codeFor(authorization.url), '--json')
  expect([done.code, JSON.parse(done.stdout)]).toMatchObject([0, { authorization: { state: 'authorized' } }])
  expect(JSON.parse((await run('doctor', '--json')).stdout)).not.toContainEqual(
    expect.objectContaining({ about: 'source' }),
  )
})

it('accepts a typed code or address, and notices a consent that is completed elsewhere', async () => {
  const { stdout } = await run('sources', '--json')
  const [{ data_source_id: id }] = JSON.parse(stdout)
  const { PATH = '' } = process.env
  const env = { PATH, HOME: served.place, ...served.settings }
  const wait = async (answer: (url: string, type: (line: string) => void) => Promise<void>) => {
    await run('api', 'revokeUserMcp', id)
    const child = spawn(process.execPath, [CLI_BIN, 'sources', 'authorize', id], { cwd: served.place, env })
    const ended = once(child, 'exit')
    const url = await new Promise<string>((resolve) => {
      let printed = ''
      child.stderr.setEncoding('utf8').on('data', (part: string) => {
        printed += part
        const link = /^(http\S+)$/m.exec(printed)?.[1]
        if (link !== undefined && printed.includes('confirmation code')) resolve(link)
      })
      child.stdout.resume()
    })
    await answer(url, (line) => child.stdin.write(`${line}\n`))
    const [code] = await ended
    return code
  }
  expect(await wait(async (url, type) => type(await as.consent(url)))).toBe(0)
  expect(await wait(async (url, type) => type(await codeFor(url)))).toBe(0)
  const elsewhere = async (url: string) => {
    await run('sources', 'authorize', id, '--code', await codeFor(url))
  }
  expect(await wait(elsewhere)).toBe(0)
  as.isDenying = true
  expect(await wait(async (url) => void (await fetch(await as.consent(url))))).toBe(1)
})
