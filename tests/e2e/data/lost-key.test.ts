import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compile } from '../../../scripts/build.mjs'
import { buildConsole } from '../../../scripts/console.mjs'
import { addressOf, startScript } from '../../harness/child.ts'
import { CLI_BIN, runCommand, shown } from '../../harness/command.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-lost-key-'))
const run = (args: string[], settings: Record<string, string>) => runCommand(CLI_BIN, args, folder, settings)

const signIn = async (address: string, code: string) => {
  const body = JSON.stringify({ code })
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`${address}/api/v1/console/sign-in`, { method: 'POST', headers, body })).status
}

beforeAll(() => {
  compile()
  buildConsole()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('a lost key can be replaced only with the key in the data folder', async () => {
  const own = { CAIRN_PORT: '0', CAIRN_EXAMPLE: 'off', CAIRN_DATA: folder }
  const first = startScript([CLI_BIN, 'serve'], own)
  await addressOf(first)
  const [, old = ''] = await first.untilPrinted(/shown only once\): (\S+)/)
  first.process.kill()
  await first.ended
  const second = startScript([CLI_BIN, 'serve'], own)
  try {
    const address = await addressOf(second)
    await second.untilPrinted(/The API reference is at http:\S+\/docs\..* `cairn keys reset` creates one\./)
    // The output goes to a log, which must not contain a sign-in link.
    await second.untilPrinted(/To sign in to the console, run `cairn console`/)
    expect(first.printed() + second.printed()).not.toContain('#k=')
    const here = { CAIRN_URL: address, CAIRN_ADMIN_KEY: '', CAIRN_API_KEY: '', CAIRN_DATA: folder }
    const [, printed = ''] = (await run(['console'], here)).stdout.trim().split('#k=')
    expect(printed).not.toBe('')
    const beside = await run(['keys', 'reset'], here)
    expect(beside).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/1 other keys .* still valid\.\n$/),
    })
    const works = async (own: string) => (await run(['keys', 'list'], { ...here, CAIRN_API_KEY: own })).code
    const made = shown(beside, 'key') ?? ''
    expect([await works(old), await works(made)]).toEqual([0, 0])
    const sole = await run(['keys', 'reset', shown(beside, 'user_id')!, '--revoke-others', '--name', 'Sole'], here)
    expect(sole.stdout).toMatch(/2 other keys were revoked\.\n$/)
    expect([await works(old), await works(made), await works(shown(sole, 'key') ?? '')]).toEqual([1, 1, 0])
    // A revocation invalidates earlier sign-in links. A later link works once.
    expect(await signIn(address, printed)).toBe(401)
    const byOperator = await run(['console'], here)
    const byKey = await run(['console'], { ...here, CAIRN_API_KEY: shown(sole, 'key') ?? '' })
    for (const { stdout, code } of [byOperator, byKey]) {
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^http:\S+\/console#k=\S+\n$/)])
      const [, given = ''] = stdout.trim().split('#k=')
      expect([await signIn(address, given), await signIn(address, given)]).toEqual([200, 401])
    }
    expect(await run(['accounts', 'create'], here)).toMatchObject({ code: 0 })
    expect((await run(['console'], here)).stderr).toContain('Give the USER_ID of one')
    expect(await run(['console', shown(beside, 'user_id')!], here)).toMatchObject({ code: 0 })
    expect(await run(['keys', 'reset'], here)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Give the USER_ID of one'),
    })
    // The key in the data folder is never sent to another machine.
    const far = { ...here, CAIRN_URL: 'http://cairn.invalid' }
    expect(await run(['keys', 'reset'], far)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('needs a key'),
    })
    expect((await run(['keys', 'reset', '--help'], far)).stdout).toMatch(/keys reset \[USER_ID\][\s\S]*--revoke-others/)
    expect(await run(['keys', 'reset', 'a', 'b'], here)).toMatchObject({ code: 2 })
  } finally {
    second.process.kill('SIGKILL')
    await second.ended
  }
})
