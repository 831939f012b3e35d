import { once } from 'node:events'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { COMMANDS } from '../../../packages/cli/src/commands.ts'
import { CLI_BIN, CLI_PACKAGE, type Ran, runCommand, shown } from '../../harness/command.ts'
import { type ServedCommandLine, serveCommandLine } from '../../harness/served-command-line.ts'

/** Nouns tested here. Commands inside a sandbox have their own suite. */
const NOUNS = ['accounts', 'keys', 'sandboxes']
/** Packages that the command line depends on. */
const BESIDE = ['contract', 'client']

let served: ServedCommandLine
const succeeded = new Set<string>()

/** Runs the program with these arguments and, by default, the settings to access the service. */
async function cairn(args: string[], settings: Record<string, string> = {}, bin = CLI_BIN): Promise<Ran> {
  const ran = await runCommand(bin, args, served.place, { ...served.settings, ...settings })
  if (ran.code === 0) succeeded.add([args[0], args[1]?.startsWith('-') ? 'list' : (args[1] ?? 'list')].join(' '))
  return ran
}

/** Runs a command that must succeed and returns its JSON output. */
async function read(...args: string[]) {
  const { code, stdout, stderr } = await cairn([...args, '--json'])
  expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

/** Runs a command against a server that is not Cairn. */
async function against(answer: RequestListener, args: string[]): Promise<Ran> {
  const other = createServer(answer).listen(0, '127.0.0.1')
  await once(other, 'listening')
  try {
    return await cairn(args, { CAIRN_URL: `http://127.0.0.1:${(other.address() as AddressInfo).port}` })
  } finally {
    other.close()
  }
}

beforeAll(async () => {
  served = await serveCommandLine()
})
afterAll(() => served.stop())

it('an account is created, suspended, reactivated and erased', async () => {
  const made = await cairn(['accounts', 'create', '--user-id', 'org/7|x', '--display-name', 'Harbour Ltd'])
  expect(made).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('The key is not shown again.') })
  const settings = { CAIRN_API_KEY: shown(made, 'key') ?? '' }
  expect(await cairn(['keys', 'list'], settings)).toMatchObject({ code: 0 })

  expect(shown(await cairn(['accounts', 'suspend', 'org/7|x']), 'done')).toBe('The account is suspended.')
  const refused = await cairn(['keys', 'list'], settings)
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/\(401 unauthorized, request \S+\)/),
  })
  expect(refused.stderr).toContain(`The service at ${served.url} rejects the key from CAIRN_API_KEY.`)
  const [suspended, ...others] = await read('accounts', 'list', '--status', 'suspended')
  expect([suspended.display_name, others]).toEqual(['Harbour Ltd', []])
  expect(await read('accounts', 'reactivate', 'org/7|x')).toMatchObject({ success: true })
  expect(await cairn(['keys', 'list'], settings)).toMatchObject({ code: 0 })

  const unsure = await cairn(['accounts', 'erase', 'org/7|x'])
  expect(unsure).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Add --yes to confirm') })
  expect((await cairn(['accounts', 'list'])).stdout).toMatch(
    /^user_id +status +created_at +display_name\norg\/7\|x +active /,
  )
  expect(await cairn(['accounts', 'erase', 'org/7|x', '--yes'])).toMatchObject({ code: 0 })
  const again = await cairn(['accounts', 'erase', 'org/7|x', '--yes', '--json'])
  expect([again.code, JSON.parse(again.stderr).error]).toEqual([1, 'not_found'])
})

it('a key is created, listed and revoked', async () => {
  const made = await cairn(['keys', 'create', 'laptop', '--expires-in-days', '90'])
  expect(made).toMatchObject({ code: 0, stderr: '' })
  const settings = { CAIRN_API_KEY: shown(made, 'key') ?? '' }
  const rows = await cairn(['keys', 'list'], settings)
  expect(rows.stdout).toMatch(/^id +key_prefix +created_at +last_used_at +expires_at +name\nkey_.* laptop\n/)
  const id = shown(made, 'id')!
  expect((await read('keys', 'list')).map((each: { id: string }) => each.id)).toContain(id)
  expect(await read('keys', 'revoke', id)).toEqual({ revoked: true, id, name: 'laptop' })
  expect(await cairn(['keys', 'list'], settings)).toMatchObject({ code: 1 })
})

it('a sandbox is created, shown, moved through its states and tiers, and deleted', async () => {
  const made = await read(
    'sandboxes',
    'create',
    'Field notes',
    '--owner-id',
    'user-1',
    '--metadata',
    '{"team":{"name":"sales"}}',
  )
  const id = made.sandbox_id as string
  const page = await cairn(['sandboxes', 'list', '--owner-id', 'user-1'])
  expect(page.stdout).toMatch(
    new RegExp(`^sandbox_id +status +access +owner_id +name\n${id} +active +owner +user-1 +Field notes\n$`),
  )
  expect(await cairn(['sandboxes', 'set-tier', id, 'pro'])).toMatchObject({ code: 0 })
  const one = await cairn(['sandboxes', 'show', id])
  expect([shown(one, 'tier'), shown(one, 'metadata.team.name')]).toEqual(['pro', 'sales'])
  expect(await read('sandboxes', 'show', id)).toMatchObject({ sandbox_id: id, tier: 'pro' })
  expect(await read('sandboxes', 'usage', id)).toMatchObject({ max_records: 0 })

  expect(shown(await cairn(['sandboxes', 'suspend', id]), 'done')).toMatch(/^The sandbox is suspended/)
  expect(await read('sandboxes', 'archive', id)).toMatchObject({ success: true })
  expect(await read('sandboxes', 'list')).toEqual([])
  expect(await read('sandboxes', 'list', '--status', 'archived')).toMatchObject([{ sandbox_id: id }])
  const unfit = await cairn(['sandboxes', 'suspend', id, '--json'])
  expect([unfit.code, JSON.parse(unfit.stderr).reason]).toEqual([1, 'sandbox_not_active'])
  expect(await cairn(['sandboxes', 'reactivate', id])).toMatchObject({ code: 0 })

  const taken = await cairn(['sandboxes', 'create', 'Field notes', '--owner-id', 'user-1'])
  expect(taken).toMatchObject({ code: 1, stderr: expect.stringMatching(/taken.* \(409 conflict, request \S+\)\n$/) })
  expect(await cairn(['sandboxes', 'delete', id])).toMatchObject({ code: 2 })
  expect(await read('sandboxes', 'delete', id, '--yes')).toMatchObject({ success: true, deleted: { records: 0 } })
  expect(await cairn(['sandboxes', 'list'])).toEqual({ code: 0, stdout: '', stderr: 'None.\n' })
  expect(await read('sandboxes', 'list')).toEqual([])
})

it('a list fetches its pages to the end, or to the limit', async () => {
  const ROWS = 1003
  const ids = Array.from({ length: ROWS }, (_, at) => `page-${String(at).padStart(4, '0')}`)
  const left = [...ids]
  const makeAccounts = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const body = JSON.stringify({ user_id: id })
      const headers = { authorization: `Bearer ${served.settings.CAIRN_ADMIN_KEY}`, 'content-type': 'application/json' }
      const { status } = await fetch(`${served.url}/api/v1/admin/accounts`, { method: 'POST', headers, body })
      expect(status).toBe(201)
    }
  }
  await Promise.all(Array.from({ length: 8 }, makeAccounts))
  const all = ((await read('accounts', 'list')) as { user_id: string }[]).map((each) => each.user_id)
  expect(all.filter((id) => id.startsWith('page-')).sort()).toEqual(ids)
  expect(await read('accounts', 'list', '--limit', '1001')).toHaveLength(1001)
  const { stdout } = await cairn(['accounts', 'list', '--limit', '1002'])
  expect(stdout.split('\n').filter((line) => line !== '')).toHaveLength(1003)
  expect(stdout.match(/user_id/g)).toHaveLength(1)
})

it('names from other users cannot control the terminal', async () => {
  const name = 'red \u001b[31m\u009b1m\u202e\n2nd'
  const { user_id: id } = await read('accounts', 'create', '--display-name', name)
  const { stdout } = await cairn(['accounts', 'list', '--limit', '1'])
  expect(stdout).toContain('red \\u001b[31m\\u009b1m\\u202e\\u000a2nd\n')
  expect((await read('accounts', 'list', '--limit', '1'))[0]).toMatchObject({ user_id: id, display_name: name })
})

it('invalid usage is reported, and nothing is sent', async () => {
  const nowhere = { CAIRN_URL: 'http://127.0.0.1:9' }
  const cases: [string[], RegExp, Record<string, string>?][] = [
    [[], /No command given\.[\s\S]*accounts erase USER_ID/],
    [['sandbox', 'list'], /no command "sandbox"/],
    [['sandbxes'], /Did you mean "sandboxes"\?/],
    [['sandboxes', 'lst'], /takes one of: list, create, show/],
    [['sandboxes', 'list', '--stat', 'x'], /Unknown option '--stat'.*`cairn sandboxes list --help`/],
    [['sandboxes', 'list', 'x'], /Unexpected operand "x"\. Expected: no operands\./],
    [['sandboxes', 'create'], /NAME is missing\. Expected: NAME\./],
    [['sandboxes', 'create', 'Notes', '--metadata', '{'], /--metadata must be JSON/],
    [['entities', 'find'], /Q is missing\. Expected: Q\./],
    [['ask'], /QUESTION is missing/],
    [['add'], /ADDRESS or - is missing/],
    [['add', '/nowhere/at/all'], /"\/nowhere\/at\/all" does not exist/],
    [['sources', 'purge', 'src_1'], /Add --yes to confirm/],
    [['keys', 'list', '--profile', 'work'], /has no profile "work"\. There are no profiles yet/],
    [['sandboxes', 'set-tier', 'sbx_1', 'gold'], /TIER must be one of free, pro, enterprise\./],
    [['keys', 'create', 'x', '--expires-in-days', '1.5'], /--expires-in-days must be a whole number/],
    [['accounts', 'erase', '', '--yes'], /USER_ID must not be empty/],
    [['accounts', 'erase', '..', '--yes'], /USER_ID must not be empty/],
    [['keys', 'list', '--yes'], /Unknown option '--yes'/],
    [
      ['accounts', 'list'],
      /CAIRN_ADMIN_KEY=\$\(cat data\/admin\.key\)/,
      { CAIRN_ADMIN_KEY: ' ', CAIRN_DATA: '/nowhere/at/all' },
    ],
    [['keys', 'list'], /`cairn init` to get and store one.*set CAIRN_API_KEY to the API key/, { CAIRN_API_KEY: '' }],
    [['keys', 'list'], /CAIRN_API_KEY contains invalid characters/, { CAIRN_API_KEY: 'a b' }],
    [['keys', 'list'], /CAIRN_URL must be the address/, { CAIRN_URL: 'localhost' }],
    [['keys', 'list'], /CAIRN_URL must be the address/, { CAIRN_URL: 'http://me:secret@127.0.0.1' }],
    [['backup'], /cairn backup FILE/],
    [['serve', '--port', '1'], /cairn serve/],
  ]
  for (const [args, pattern, settings] of cases) {
    const { code, stdout, stderr } = await cairn(args, { ...nowhere, ...settings })
    expect({ code, stdout, stderr }, args.join(' ')).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(pattern),
    })
  }
  const { code, stderr } = await cairn(['keys', 'create', '--json'], nowhere)
  expect([code, JSON.parse(stderr)]).toEqual([2, { error: 'usage', detail: 'NAME is missing. Expected: NAME.' }])
})

it('a validation error of the service names the operand or option', async () => {
  const { code, stderr } = await cairn(['keys', 'create', ' ', '--expires-in-days', '9999'])
  expect(code).toBe(1)
  expect(stderr).toMatch(/\(422 validation_error, request \S+\)\n/)
  expect(stderr).toContain('  --expires-in-days: Must be at most 3650.\n')
  expect(stderr).toMatch(/^ {2}NAME: /m)
})

it('an unreachable service, another server and a rejection give different errors', async () => {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const closed = `http://127.0.0.1:${(free.address() as AddressInfo).port}`
  await new Promise((resolve) => free.close(resolve))
  const absent = await cairn(['keys', 'list'], { CAIRN_URL: closed })
  expect(absent).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(`No service answers at ${closed}`),
  })

  const list = ['accounts', 'list']
  const errorFor = async (answer: RequestListener, args = list) => {
    const { code, stderr } = await against(answer, args)
    expect(code).toBe(1)
    return stderr
  }
  const json = { 'content-type': 'application/json' }
  expect(await errorFor((_, reply) => reply.end('<html>'))).toMatch(/replied with 200, but is not a Cairn service/)
  expect(await errorFor((_, reply) => reply.writeHead(200, json).end('{"accounts": 1}'))).toMatch(/not a Cairn service/)
  expect(await errorFor((_, reply) => reply.writeHead(301, { location: 'https://x.test/' }).end())).toMatch(
    /redirects to https:\/\/x\.test\/\. Set CAIRN_URL/,
  )
  expect(await errorFor((asked) => asked.socket.destroy())).toMatch(
    /got no complete reply .*It is safe to run the command again/,
  )
  expect(await errorFor((asked) => asked.socket.destroy(), ['keys', 'create', 'x'])).toMatch(
    /unknown whether it took effect/,
  )
  const busy = JSON.stringify({ error: 'unavailable', detail: 'Not now.', request_id: 'r1' })
  expect(await errorFor((_, reply) => reply.writeHead(503, { ...json, 'retry-after': '700' }).end(busy))).toBe(
    'cairn: Not now. (503 unavailable, request r1)\n  Try again in 700 s.\n',
  )
  const same = JSON.stringify({ accounts: [{ user_id: 'a' }], count: 1, next_cursor: 'c' })
  expect(await errorFor((_, reply) => reply.writeHead(200, json).end(same))).toMatch(/same page .* twice/)
})

it('every command has a usage text and succeeded above', async () => {
  const { code, stdout } = await cairn(['--help'])
  expect(code).toBe(0)
  for (const { noun, verb, operation } of COMMANDS)
    expect(stdout).toMatch(new RegExp(`${noun} ${verb}.*${operation.summary}`))
  expect((await cairn(['sandboxes', '--help'])).stdout).toMatch(/sandboxes set-tier SANDBOX_ID TIER/)
  const one = await cairn(['sandboxes', 'create', '-h'], { CAIRN_API_KEY: '' })
  expect(one.stdout).toMatch(/cairn sandboxes create NAME \[option[\s\S]*--tier TEXT +One of free, pro, enterprise\./)
  expect((await cairn(['help', 'sandboxes', 'create'])).stdout).toBe(one.stdout)
  const ours = COMMANDS.filter(({ noun }) => NOUNS.includes(noun)).map(({ noun, verb }) => `${noun} ${verb}`)
  expect(ours.filter((name) => !succeeded.has(name))).toEqual([])
})

it('speaks to a service elsewhere without the service’s package', async () => {
  const scope = join(served.place, 'elsewhere/node_modules/@cairnstore')
  mkdirSync(scope, { recursive: true })
  cpSync(join(CLI_PACKAGE, 'bin'), join(scope, 'cli/bin'), { recursive: true })
  cpSync(join(CLI_PACKAGE, 'package.json'), join(scope, 'cli/package.json'))
  for (const name of BESIDE) symlinkSync(join(CLI_PACKAGE, '..', name), join(scope, name))
  const bin = join(scope, 'cli/bin/cairn.js')
  expect(await cairn(['--version'], {}, bin)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('npm run build'),
  })
  cpSync(join(CLI_PACKAGE, 'dist'), join(scope, 'cli/dist'), { recursive: true })
  expect(await cairn(['--version'], {}, bin)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  })
  expect(await cairn(['keys', 'list'], {}, bin)).toMatchObject({ code: 0 })
  expect(await cairn(['serve'], {}, bin)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/needs the package/),
  })
})

it('SIGTERM ends `cairn serve` with exit code 0', async () => {
  served.server.process.kill('SIGTERM')
  expect(await served.server.ended).toBe(0)
})
