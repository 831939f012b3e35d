import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openConversation } from './conversations.ts'
import { conversationsPath } from './settings.ts'

const SETTINGS = { url: 'http://127.0.0.1:1', key: 'k', keyName: 'the profile "a"', sandbox: undefined, isQuiet: true }
const SANDBOX = 'sbx_1'
const OTHER = 'sbx_2'

let place: string
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'cairn-talk-'))
  vi.stubEnv('XDG_STATE_HOME', place)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(place, { recursive: true, force: true })
})

const goOn = (sandboxId = SANDBOX, settings = SETTINGS) =>
  openConversation(settings, sandboxId, { isContinued: true }).turns

it('a conversation continues only in the same profile and sandbox, and other users cannot read it', () => {
  const conversation = openConversation(SETTINGS, SANDBOX, { isContinued: false })
  conversation.add('Why?', 'Sand.')
  conversation.add('Who?', 'Ada.')
  expect(goOn().map(({ content }) => content)).toEqual(['Why?', 'Sand.', 'Who?', 'Ada.'])
  expect([goOn(OTHER), goOn(SANDBOX, { ...SETTINGS, keyName: 'another' })]).toEqual([[], []])
  expect(statSync(conversationsPath()).mode & 0o777).toBe(0o600)
  openConversation(SETTINGS, SANDBOX, { isContinued: false }).add('Anew?', 'Yes.')
  expect(goOn()).toHaveLength(2)
})

it('turns, conversations and their age are limited', () => {
  const conversation = openConversation(SETTINGS, SANDBOX, { isContinued: false })
  for (let at = 0; at < 15; at += 1) conversation.add(`q${at}`, `a${at}`)
  expect([conversation.turns.length, goOn().at(0)?.content, goOn().at(-1)?.content]).toEqual([20, 'q5', 'a14'])
  conversation.add('long', 'x'.repeat(65_537))
  expect(goOn()).toEqual([])
  conversation.add('long', 'x'.repeat(60_000))
  for (let at = 0; at < 25; at += 1) openConversation(SETTINGS, `sbx_many_${at}`, { isContinued: false }).add('q', 'a')
  expect(JSON.parse(readFileSync(conversationsPath(), 'utf8')).conversations).toHaveLength(20)
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 13 * 3_600_000)
  expect(goOn('sbx_many_24')).toEqual([])
  vi.restoreAllMocks()
  expect(goOn('sbx_many_24')).toHaveLength(2)
  writeFileSync(conversationsPath(), '{"conversations": [{"at": 1}, 7]}')
  expect(goOn()).toEqual([])
})

it('conversations with a customer-managed key are neither stored nor continued', () => {
  const secret = { ...SETTINGS, encryptionKey: 'key' }
  const conversation = openConversation(secret, SANDBOX, { isContinued: false })
  conversation.add('Why?', 'Sand.')
  expect(conversation.turns).toHaveLength(2)
  expect(existsSync(conversationsPath())).toBe(false)
  expect(() => goOn(SANDBOX, secret)).toThrow(/conversations are not stored.*cairn chat/)
})
