import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { CLI_BIN, runCommand } from '../../harness/command.ts'
import { elements, type ModelServer, startModel } from '../../harness/model-server.ts'
import { type ServedCommandLine, serveCommandLine } from '../../harness/served-command-line.ts'

const QUESTION = 'Why did pump 7 stop?'
const FIRST = 'Pump 7 stopped because its filter was full of sand.'
const SECOND = 'Ada Berg cleaned it on 10 March.'
const WRITTEN = elements({ text: FIRST, ids: ['r1'], paragraph: 1 }, { text: SECOND, ids: ['r1'], paragraph: 1 })

let model: ModelServer
let served: ServedCommandLine
const cairn = (...args: string[]) => runCommand(CLI_BIN, args, served.place, served.settings)

beforeAll(async () => {
  model = await startModel()
  served = await serveCommandLine({ CAIRN_MODEL_BASE_URL: model.baseUrl, CAIRN_MODEL_NAME: 'm' })
  expect(await cairn('init', '--sandbox', 'Notes')).toMatchObject({ code: 0 })
  const note = { title: 'Pump 7', text: `${FIRST} Ada Berg cleaned it.`, source_type: 'note' }
  const { status } = await fetch(`${served.url}/api/v1/storage/ingest`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${served.settings.CAIRN_API_KEY}`,
      'content-type': 'application/json',
      prefer: 'wait=30',
    },
    body: JSON.stringify({ ...note, occurred_at: '2026-03-10' }),
  })
  expect(status).toBe(200)
})
beforeEach(() => {
  model.answer = () => WRITTEN
})
afterAll(async () => {
  await served.stop()
  await model.close()
})

it('an answer is printed while a model writes it, and the sources below it', async () => {
  let finish = (): void => undefined
  const written = new Promise<void>((resolve) => {
    finish = resolve
  })
  model.answer = () => ({ ...WRITTEN, before: written })
  const { PATH = '' } = process.env
  const env = { PATH, HOME: served.place, XDG_CONFIG_HOME: `${served.place}/.config`, ...served.settings }
  const child = spawn(process.execPath, [CLI_BIN, 'ask', QUESTION], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  await expect.poll(() => printed).toContain(FIRST.slice(0, 30))
  expect([child.exitCode, printed.includes('Sources:')]).toEqual([null, false])
  finish()
  expect(await ended).toBe(0)
  expect(printed.replace(/\s+/g, ' ')).toContain(`${FIRST} ${SECOND} Sources: [1] Pump 7 — 2026-03-10 — `)
})

it('an answer that records support too little is discarded with a note, and written again', async () => {
  const invented = ['Olaf Berg', 'Ida Holm'].map((name) => ({
    text: `${name} sold Pump 7.`,
    ids: ['r1'],
    paragraph: 1,
  }))
  model.answer = () => elements({ text: FIRST, ids: ['r1'], paragraph: 1 }, ...invented)
  const { code, stdout, stderr } = await cairn('ask', QUESTION)
  expect([code, stderr]).toEqual([0, expect.stringContaining('Ignore the text above')])
  expect(stderr).toContain('The writing model')
  expect(stdout).toMatch(/ — Pump 7,\s+10\s+March\s+2026[\s\S]*Sources:\n {2}\[1\] Pump 7/)
})

it('with --json a program gets one JSON text with the records by one request', async () => {
  const { code, stdout, stderr } = await cairn('ask', QUESTION, '--json')
  expect([code, stderr]).toEqual([0, ''])
  const { answer, records, statements } = JSON.parse(stdout)
  expect(answer).toBe(`${FIRST} ${SECOND}`)
  expect(records).toMatchObject([{ title: 'Pump 7', type: 'note', occurred_at: '2026-03-10T00:00:00.000Z' }])
  expect(statements[0].record_ids).toEqual([records[0].record_id])
})

it('a count lists the counted records', async () => {
  const { code, stdout } = await cairn('ask', 'How many notes are there?')
  expect(code).toBe(0)
  expect(stdout).toMatch(/There is 1 [\s\S]*Sources:\n {2}\[1\] Pump 7 — 2026-03-10/)
})

it('an unreachable service and a rejected question give an error message', async () => {
  const nowhere = { ...served.settings, CAIRN_URL: 'http://127.0.0.1:9', CAIRN_SANDBOX: `sbx_${'0'.repeat(26)}` }
  const gone = await runCommand(CLI_BIN, ['ask', QUESTION], served.place, nowhere)
  expect([gone.code, gone.stdout]).toEqual([1, ''])
  expect(gone.stderr).toMatch(/No service answers at http:\/\/127\.0\.0\.1:9 .*npm start/)
  const refused = await cairn('ask', QUESTION, '--preset', 'max')
  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toContain('403 forbidden')
})

it('a chat from a pipe keeps its context, and `ask --continue` continues it', async () => {
  const typed = `${QUESTION}\n\nWho cleaned it?\n`
  const first = await runCommand(CLI_BIN, ['chat'], served.place, served.settings, typed)
  expect([first.code, first.stderr]).toEqual([0, ''])
  expect(first.stdout).toMatch(/^> Why did pump 7 stop\?\n[\s\S]*Sources:[\s\S]*\n> Who cleaned it\?\n[\s\S]*Sources:/)
  const shown = () => JSON.stringify(model.asked.at(-1)?.messages)
  expect(shown()).toContain(QUESTION)
  expect(await cairn('ask', 'On which day?', '--continue')).toMatchObject({ code: 0, stderr: '' })
  expect([shown().includes(QUESTION), shown().includes('Who cleaned it?')]).toEqual([true, true])
  expect(await cairn('ask', 'How many days ago was pump 7 cleaned?')).toMatchObject({ code: 0 })
  expect(shown()).not.toContain('Who cleaned it?')
  const both = await cairn('ask', QUESTION, '--continue', '--history', '[]')
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('Use only one of them')])
})

it('`init` creates one key, lists other sandboxes, and reuses profiles', async () => {
  const home = join(served.place, 'another')
  mkdirSync(home)
  const { CAIRN_URL = '', CAIRN_ADMIN_KEY = '' } = served.settings
  const run = (...args: string[]) => runCommand(CLI_BIN, args, home, { CAIRN_URL, CAIRN_ADMIN_KEY })
  const first = await run('init', '--sandbox', 'Other notes')
  expect(first, first.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('created') })
  expect(first.stdout).toContain(`cairn ask "…" --sandbox 'Notes'`)
  const again = ['init', '--sandbox', 'Notes']
  for (const args of [again, [...again, '--profile', 'second'], ['init', '--url', CAIRN_URL]]) {
    expect((await run(...args)).stdout, args.join(' ')).toContain('existing')
  }
  const keys: { name: string }[] = JSON.parse((await run('keys', 'list', '--json')).stdout)
  const made = keys.filter(({ name }) => name.startsWith('Command line'))
  expect(made.map(({ name }) => name)).toEqual([
    expect.stringMatching(/^Command line, 20\d\d-\d\d-\d\d \d\d:\d\d, .+@/),
  ])
  const names = async (...args: string[]) =>
    JSON.parse((await run('profiles', ...args, '--json')).stdout).map((row: { name: string }) => row.name)
  expect(await names()).toEqual(['default', 'second'])
  expect(await names('remove', 'default')).toEqual(['second'])
  expect((await run('ask', QUESTION)).code).toBe(0)
  expect((await run('profiles', 'use', 'default')).stderr).toContain('has no profile "default"')
})
