import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compile } from '../../scripts/build.mjs'
import { addressOf, type Child, startScript } from '../harness/child.ts'
import { CLI_BIN } from '../harness/command.ts'

const RUN_MS_MAX = 300_000
const CLONE = fileURLToPath(new URL('../..', import.meta.url))
const BLOCK = /^```\n([\s\S]*?)^```$/gm

let folder: string
let server: Child
let address: string

beforeAll(async () => {
  compile()
  folder = mkdtempSync(join(tmpdir(), 'cairn-quickstart-'))
  server = startScript([CLI_BIN, 'serve'], { CAIRN_PORT: '0', CAIRN_EXAMPLE: 'off', CAIRN_DATA: join(folder, 'data') })
  address = await addressOf(server)
}, RUN_MS_MAX)
afterAll(async () => {
  server.process.kill('SIGTERM')
  await server.ended
  rmSync(folder, { recursive: true, force: true })
})

it('what the quickstart shows runs as it stands, and prints what it says', { timeout: RUN_MS_MAX }, async () => {
  const page = readFileSync(join(CLONE, 'docs/quickstart.md'), 'utf8')
  const definition = /^CLONE=.*$/m.exec(readFileSync(join(CLONE, 'README.md'), 'utf8'))?.[0]
  const blocks = [...page.matchAll(BLOCK)].map(([, block = '']) => block)
  const answer = blocks.at(-1) ?? ''
  const commands = blocks
    .slice(0, -1)
    .join('')
    .replaceAll('http://127.0.0.1:8484', address)
    .replaceAll('/tmp/', `${folder}/`)
  const shell = spawn('bash', ['-euo', 'pipefail'], {
    cwd: CLONE,
    env: { PATH: process.env.PATH, HOME: folder, CAIRN_URL: address, CAIRN_DATA: join(folder, 'data') },
  })
  let printed = ''
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (chunk) => {
      printed += chunk
    })
  shell.stdin.end(`${definition}\n${commands}`)
  expect([await new Promise((resolve) => shell.once('close', resolve)), printed]).toEqual([0, expect.any(String)])
  // The page breaks the line where it is full.
  expect(printed.replaceAll(/\s+/g, ' ')).toContain(answer.trim().replaceAll(/\s+/g, ' '))
})
