import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compile } from '../../../scripts/build.mjs'
import { CLI_BIN, runCommand } from '../../harness/command.ts'

/** More disk space than any disk has, in MiB. */
const MUCH_MIB = 999_999_999
/** Preloaded script that simulates a missing vector store library. */
const WITHOUT_STORE = `const Module = require('node:module')
const load = Module._load
Module._load = function (name, ...rest) {
  if (name.includes('lancedb')) throw new Error("Cannot find module '@lancedb/lancedb'")
  return load.call(this, name, ...rest)
}`

let place: string
let other: Server
let taken: number

beforeAll(async () => {
  compile()
  place = mkdtempSync(join(tmpdir(), 'cairn-doctor-'))
  other = createServer((_, reply) => reply.writeHead(404).end()).listen(0, '127.0.0.1')
  await once(other, 'listening')
  taken = (other.address() as AddressInfo).port
})
afterAll(() => {
  other.close()
  rmSync(place, { recursive: true, force: true })
})

/** Runs the doctor and returns the problems by subject. */
async function wrongs(settings: Record<string, string>): Promise<Record<string, string>> {
  const usual = { CAIRN_DATA: join(place, 'data'), CAIRN_PORT: '0', CAIRN_URL: 'http://127.0.0.1:2' }
  const { code, stdout, stderr } = await runCommand(CLI_BIN, ['doctor', '--json'], place, { ...usual, ...settings })
  const found: { about: string; is_good: boolean; sentence: string }[] = JSON.parse(stdout)
  const wrong = found.filter(({ is_good }) => !is_good)
  expect([code, stderr]).toEqual([wrong.length > 0 ? 1 : 0, ''])
  return Object.fromEntries(wrong.map(({ about, sentence }) => [about, sentence]))
}

it('reports each problem and how to fix it', async () => {
  const nothing = { service: expect.stringMatching(/No service answers at http:\/\/127.0.0.1:2 .*npm start/) }
  expect(await wrongs({})).toEqual(nothing)

  const address = { CAIRN_PORT: String(taken), CAIRN_URL: `http://127.0.0.1:${taken}` }
  expect(await wrongs(address)).toEqual({
    port: expect.stringMatching(`Another program listens at 127.0.0.1:${taken}: stop it, or set CAIRN_PORT`),
    service: expect.stringMatching(/replied with 404, but is not a Cairn service. Check CAIRN_URL/),
  })

  expect(await wrongs({ CAIRN_DISK_RESERVE_MIB: String(MUCH_MIB) })).toEqual({
    ...nothing,
    disk: expect.stringMatching(/MiB are free on the disk of .*, below the reserve of .* MiB.*: free disk space/),
  })

  const theirs = join(place, 'theirs/data')
  mkdirSync(theirs, { recursive: true })
  writeFileSync(join(theirs, 'measurements.csv'), 'a,b\n')
  expect(await wrongs({ CAIRN_DATA: theirs })).toEqual({
    ...nothing,
    data: expect.stringMatching(/theirs\/data contains files that are not Cairn’s: set CAIRN_DATA to an empty/),
  })

  const hook = join(place, 'hook.cjs')
  writeFileSync(hook, WITHOUT_STORE)
  expect(await wrongs({ NODE_OPTIONS: `--require ${hook}` })).toEqual({
    ...nothing,
    engines: expect.stringMatching(/Not everything can be loaded \(.*lancedb.*\): run `npm install` in the clone/),
  })

  expect(await wrongs({ CAIRN_DAT: 'x', CAIRN_PORT: '80000' })).toEqual({
    ...nothing,
    settings: expect.stringMatching(/CAIRN_PORT/),
  })

  const profiles = join(place, '.config/cairn/profiles.json')
  mkdirSync(join(place, '.config/cairn'), { recursive: true })
  writeFileSync(profiles, JSON.stringify({ default: 'of another program' }))
  expect(await wrongs({})).toEqual({
    profile: expect.stringMatching(/is not a valid profiles file\. Delete it and run `cairn init`/),
  })
})
