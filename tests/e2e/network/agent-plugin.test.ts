import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callOver, openSender, type RealProcess, startProcess } from '../../harness/real-process.ts'
import { type Call, newSandbox, type TestSandbox } from '../../harness/test-app.ts'

const PLUGIN = fileURLToPath(new URL('../../../plugins/cairn/', import.meta.url))
const ASKED = 'Which material do we take for the housings of the pumps?'
const SAID = 'We settled on stainless steel for the housings, as Ada Berg proposed.'
const AT = '2026-03-10T09:00:00.000Z'

/** Transcripts in the format of each program, including entries that are not messages. */
const TRANSCRIPTS = {
  'Claude Code': [
    { type: 'queue-operation', operation: 'enqueue', timestamp: AT, content: 'Not said.' },
    { type: 'attachment', uuid: 'u0', timestamp: AT, attachment: { type: 'hook_success' } },
    { type: 'user', uuid: 'u1', timestamp: AT, message: { role: 'user', content: ASKED } },
    {
      type: 'assistant',
      uuid: 'a1',
      timestamp: AT,
      message: { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Read', input: {} }] },
    },
    {
      type: 'user',
      uuid: 'u2',
      timestamp: AT,
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'KEY=secret' }] },
    },
    { type: 'user', uuid: 'u3', isMeta: true, timestamp: AT, message: { role: 'user', content: 'A caveat.' } },
    {
      type: 'assistant',
      uuid: 'a2',
      timestamp: AT,
      message: { role: 'assistant', content: [{ type: 'text', text: SAID }] },
    },
  ],
  Codex: [
    { timestamp: AT, type: 'session_meta', payload: { id: '1' } },
    {
      timestamp: AT,
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: '<environment_context>' }] },
    },
    {
      timestamp: AT,
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: ASKED }] },
    },
    { timestamp: AT, type: 'response_item', payload: { type: 'function_call_output', output: 'KEY=secret' } },
    {
      timestamp: AT,
      type: 'response_item',
      payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: SAID }] },
    },
  ],
}

let cairn: RealProcess
let close: () => void
let call: Call
let sandbox: TestSandbox
let folder: string

beforeAll(async () => {
  cairn = await startProcess({ CAIRN_EXAMPLE: 'off' })
  const sender = openSender(cairn, 1)
  close = sender.close
  call = callOver(sender.send)
  folder = mkdtempSync(join(tmpdir(), 'cairn-plugin-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  close()
  await cairn.stop()
})

/** Runs the plugin's hook for an event, as a host does. */
async function runHook(event: 'SessionStart' | 'Stop', fields: object, env: Record<string, string> = {}) {
  const { hooks } = JSON.parse(readFileSync(join(PLUGIN, 'hooks/hooks.json'), 'utf8'))
  const own = { CAIRN_URL: cairn.url, CAIRN_API_KEY: cairn.apiKey, CAIRN_SANDBOX: sandbox.id }
  const child = spawn('sh', ['-c', hooks[event][0].hooks[0].command], {
    env: { PATH: process.env.PATH, CLAUDE_PLUGIN_ROOT: PLUGIN, ...own, ...env },
  })
  const printed = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    printed.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    printed.err += chunk
  })
  child.stdin.end(JSON.stringify({ session_id: 's1', hook_event_name: event, cwd: '/home/me/pumps', ...fields }))
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { code, ...printed }
}

const transcript = (lines: readonly object[]) => {
  const transcript_path = join(folder, 'transcript.jsonl')
  writeFileSync(transcript_path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return { transcript_path }
}

const recordsOf = async (id: string) => {
  const { body } = await call('GET', `/api/v1/storage/sandboxes/${id}/records?limit=50`)
  return body.records as { record_id: string }[]
}

describe.each(Object.entries(TRANSCRIPTS))('a session of %s', (name, lines) => {
  it('a session is stored once with its question and answer, and given to the next one', async () => {
    sandbox = await newSandbox(call, name)
    for (const _ of [1, 2]) expect(await runHook('Stop', transcript(lines))).toEqual({ code: 0, out: '', err: '' })
    await expect.poll(async () => (await recordsOf(sandbox.id)).length).toBe(2)
    const texts = await Promise.all(
      (await recordsOf(sandbox.id)).map(async ({ record_id }) => {
        const { body } = await call('GET', `/api/v1/storage/sandboxes/${sandbox.id}/records/${record_id}`)
        return body.text
      }),
    )
    expect(texts.sort()).toEqual([SAID, ASKED].sort())

    const { code, out } = await runHook('SessionStart', {})
    expect(code).toBe(0)
    const { hookEventName, additionalContext } = JSON.parse(out).hookSpecificOutput
    expect(hookEventName).toBe('SessionStart')
    expect(additionalContext).toContain(SAID)
    expect(additionalContext).toContain('never an instruction')
  })
})

it('a continued answer replaces its earlier version, and the host’s own result counts', async () => {
  sandbox = await newSandbox(call, 'Goes on')
  const asked = TRANSCRIPTS['Claude Code'].slice(0, 3)
  await runHook('Stop', { ...transcript(asked), last_assistant_message: 'I look.' })
  await runHook('Stop', { ...transcript(asked), last_assistant_message: SAID })
  await expect.poll(async () => (await runHook('SessionStart', {})).out).toContain(SAID)
  expect((await recordsOf(sandbox.id)).length).toBe(2)
})

it('nothing is stored if switched off, and no failure blocks an agent', async () => {
  sandbox = await newSandbox(call, 'Off')
  const input = transcript(TRANSCRIPTS['Claude Code'])
  expect(await runHook('Stop', input, { CAIRN_REMEMBER: 'off' })).toEqual({ code: 0, out: '', err: '' })
  const failures = [
    runHook('Stop', input, { CAIRN_URL: 'http://127.0.0.1:9' }),
    runHook('Stop', input, { CAIRN_API_KEY: 'no key of this service' }),
    runHook('SessionStart', {}, { CAIRN_API_KEY: '' }),
    runHook('Stop', { transcript_path: join(folder, 'none') }),
  ]
  for (const { code, out, err } of await Promise.all(failures)) {
    expect([code, out]).toEqual([0, ''])
    expect(err).toMatch(/^cairn: .+\n$/)
  }
  expect(await recordsOf(sandbox.id)).toEqual([])
})
