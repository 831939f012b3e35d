import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isOpenToOthers, readProfiles, writeOwn } from './profiles.ts'
import { adminKey, localUrl, namedLocalUrl, profilesPath, readSettings } from './settings.ts'

let place: string
let env: NodeJS.ProcessEnv
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'cairn-profiles-'))
  env = { XDG_CONFIG_HOME: place, CAIRN_DATA: place }
  writeOwn(profilesPath(env), {
    default: 'home',
    profiles: {
      home: { url: 'http://127.0.0.1:1', key: 'home-key', sandbox_id: 'sbx_home' },
      work: { url: 'https://work.example', key: 'work-key' },
    },
  })
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

it('only the user can read profiles, even if the file was readable by others before', () => {
  const path = profilesPath(env)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(isOpenToOthers(path)).toBe(false)
  const other = join(place, 'other/profiles.json')
  mkdirSync(join(place, 'other'))
  writeFileSync(other, '{"default": "a", "profiles": {}}', { mode: 0o644 })
  expect(isOpenToOthers(other)).toBe(true)
  writeOwn(other, readProfiles(other))
  expect(isOpenToOthers(other)).toBe(false)
})

it('a flag overrides the environment, which overrides the default profile', () => {
  expect(readSettings('viewer', {}, env)).toMatchObject({ key: 'home-key', sandbox: 'sbx_home' })
  const named = { ...env, CAIRN_PROFILE: 'work' }
  expect(readSettings('viewer', {}, named)).toMatchObject({ url: 'https://work.example', key: 'work-key' })
  const set = { ...named, CAIRN_URL: 'http://127.0.0.1:1', CAIRN_API_KEY: 'set', CAIRN_SANDBOX: 'sbx_set' }
  expect(readSettings('viewer', {}, set)).toMatchObject({ key: 'set', sandbox: 'sbx_set' })
  expect(readSettings('viewer', { profile: 'home', sandbox: 'Notes' }, set)).toMatchObject({
    url: 'http://127.0.0.1:1',
    key: 'home-key',
    sandbox: 'Notes',
  })
})

it("a profile's key is sent to no other address, and the local operator's key to no remote service", () => {
  expect(() => readSettings('viewer', {}, { ...env, CAIRN_URL: 'http://127.0.0.1:2' })).toThrow(/needs a key/)
  writeFileSync(join(place, 'admin.key'), 'operator\n')
  expect(readSettings('admin', {}, env)).toMatchObject({ key: 'operator' })
  expect(() => readSettings('admin', { profile: 'work' }, env)).toThrow(/CAIRN_ADMIN_KEY/)
})

it("a folder named data is searched for the operator's key only if a Cairn has used it", () => {
  const before = process.cwd()
  const folder = join(place, 'theirs')
  mkdirSync(join(folder, 'data'), { recursive: true })
  writeFileSync(join(folder, 'data/admin.key'), 'of another program\n')
  try {
    process.chdir(folder)
    expect(adminKey('http://127.0.0.1:1', {})?.key).not.toBe('of another program')
    writeFileSync(join(folder, 'data/format'), '1\n')
    expect(adminKey('http://127.0.0.1:1', {})?.keyName).toMatch(/theirs\/data\/admin\.key$/)
  } finally {
    process.chdir(before)
  }
})

it('the local service is found by its port, else by the address in its data folder', () => {
  const data = mkdtempSync(join(tmpdir(), 'cairn-data-'))
  const none = { XDG_CONFIG_HOME: join(data, 'none') }
  expect(readSettings('public', {}, { ...none, CAIRN_PORT: '9001', CAIRN_DATA: data }).url).toBe(
    'http://127.0.0.1:9001',
  )
  expect(namedLocalUrl({ CAIRN_DATA: data })).toBeUndefined()
  writeFileSync(join(data, 'address'), 'http://127.0.0.1:9002\n')
  expect(localUrl({ CAIRN_DATA: data })).toBe('http://127.0.0.1:9002')
  for (const CAIRN_PORT of ['0', '65536', '1.5', 'x', '-1']) {
    expect(localUrl({ CAIRN_DATA: data, CAIRN_PORT }), CAIRN_PORT).toBe('http://127.0.0.1:9002')
  }
  writeFileSync(join(data, 'address'), 'file:///etc/passwd')
  expect(namedLocalUrl({ CAIRN_DATA: data })).toBeUndefined()
  rmSync(data, { recursive: true })
})

it("the operator's key of a data folder is sent only to the service of that folder", () => {
  const data = mkdtempSync(join(tmpdir(), 'cairn-data-'))
  writeFileSync(join(data, 'admin.key'), 'operator\n')
  writeFileSync(join(data, 'address'), 'http://127.0.0.1:9002\n')
  const keyFor = (url: string) => adminKey(url, { CAIRN_DATA: data })?.key
  expect([keyFor('http://127.0.0.1:9002'), keyFor('http://localhost:9002')]).toEqual(['operator', 'operator'])
  expect([keyFor('http://127.0.0.1:8484'), keyFor('https://cairn.example:9002')]).toEqual([undefined, undefined])
  rmSync(data, { recursive: true })
})

it('errors about a missing profile and an invalid file say what to do', () => {
  const read = () => readSettings('viewer', { profile: 'constructor' }, env)
  expect(read).toThrow(/no profile "constructor"\. Profiles: home, work\. `cairn init --profile constructor`/)
  for (const text of ['', '[]', '{"default": 1, "profiles": {}}', '{"default": "a", "profiles": {"a": {"url": 7}}}']) {
    const path = join(place, 'broken.json')
    writeFileSync(path, text)
    expect(() => readProfiles(path), text).toThrow(/is not a valid profiles file.*cairn init/)
    expect(readFileSync(path, 'utf8')).toBe(text)
  }
})

it('a customer-managed key is 32 bytes in base64 and is read only from the environment', () => {
  const key = Buffer.alloc(32, 7).toString('base64')
  const set = { ...env, CAIRN_ENCRYPTION_KEY: key }
  expect(readSettings('viewer', {}, set).encryptionKey).toBe(key)
  expect(readSettings('viewer', { profile: 'work' }, set).encryptionKey).toBeUndefined()
  expect(() => readSettings('viewer', {}, { ...env, CAIRN_ENCRYPTION_KEY: 'short' })).toThrow(/32 bytes/)
})
