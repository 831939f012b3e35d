import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../harness/free-port.mjs'
import { readPage } from './snippets.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = readPage('docs/webhooks.md')
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const BODY = JSON.stringify({ type: 'sandbox.changed', data: { changes: [{ change: 'added', id: 'rec_1' }] } })
const RUN_MS_MAX = 60_000
const OLD_MS = 600_000
const codeIn = (wanted: string) => PAGE.snippets.find(({ language }) => language === wanted)?.code ?? ''

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-receivers-'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Returns the headers of a message that was signed with a secret at this time. */
function signed(secret: string, at: Date): Record<string, string> {
  const signature = new Webhook(secret).sign('msg_1', at, BODY)
  const seconds = String(Math.floor(at.getTime() / 1000))
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': seconds, 'webhook-signature': signature }
}

const MESSAGES = [
  { kind: 'one of Cairn', headers: () => signed(SECRET, new Date()), isTaken: true },
  { kind: 'a forged one', headers: () => signed(`whsec_${Buffer.alloc(32, 8).toString('base64')}`, new Date()) },
  { kind: 'one of ten minutes ago', headers: () => signed(SECRET, new Date(Date.now() - OLD_MS)) },
]

it(
  'the TypeScript receiver accepts what Cairn signed, and rejects forged and old messages',
  async () => {
    const port = await freePort()
    writeFileSync(join(folder, 'receiver.ts'), codeIn('ts').replace('listen(3000)', `listen(${port})`))
    const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node', '--skipLibCheck']
    execFileSync(join(ROOT, 'node_modules/.bin/tsc'), [...options, 'receiver.ts'], { cwd: folder, stdio: 'inherit' })
    const env = { ...process.env, CAIRN_WEBHOOK_SECRET: SECRET }
    const child = spawn(process.execPath, ['receiver.js'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    child.stdout.on('data', (chunk) => {
      printed += chunk
    })
    try {
      const url = `http://127.0.0.1:${port}`
      await expect
        .poll(() =>
          fetch(url).then(
            ({ status }) => status,
            () => 0,
          ),
        )
        .toBe(400)
      for (const { headers, isTaken } of MESSAGES) {
        const { status } = await fetch(url, { method: 'POST', headers: headers(), body: BODY })
        expect(status).toBe(isTaken ? 204 : 400)
      }
      await expect.poll(() => printed).toContain('rec_1')
    } finally {
      child.kill()
    }
  },
  RUN_MS_MAX,
)

it('the Python example accepts what Cairn signed, and rejects forged and old messages', () => {
  const program = [
    'import json, sys',
    codeIn('python'),
    'for headers in json.loads(sys.argv[2]):',
    '    print(verify(sys.argv[1], headers, sys.argv[3].encode()))',
  ].join('\n')
  const messages = JSON.stringify(MESSAGES.map(({ headers }) => headers()))
  const printed = execFileSync('python3', ['-c', program, SECRET, messages, BODY], { encoding: 'utf8' })
  expect(printed.trim().split('\n')).toEqual(MESSAGES.map(({ isTaken }) => (isTaken ? 'True' : 'False')))
})
