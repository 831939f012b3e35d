import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { newApiKey } from '../../../packages/server/src/tenancy/accounts/key-format.ts'
import { compile } from '../../../scripts/build.mjs'
import { addressOf, startScript } from '../../harness/child.ts'
import { CLI_BIN, runCommand } from '../../harness/command.ts'
import { zipOf } from '../../harness/zip.ts'

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url))
/** Last commit at which the program read only notes, mails and exports. */
const OLDER = '8973c9a0'
const PATIENT_MS = 600_000
const LONG_CHARS = 350_000
const MAIL =
  'From: Ana Lima <ana@x.example>\r\nMessage-ID: <quay@x.example>\r\nDate: Sun, 1 Mar 2026 09:00:00 +0000\r\n' +
  'Subject: Quay\r\n\r\nThe quay is swept on Mondays.\r\n'
const BOXED = MAIL.replaceAll('\r\n', '\n').replace('quay@', 'box@')
const FOLDER = {
  'lamp.md': '---\ntitle: The lamp\n---\n\nIt is lit at dusk, see [[ropes]].',
  'work/ropes.txt': 'The ropes are coiled in the evening.',
  'work/long.md': `# Log\n\n${'The quay was swept and the ropes were coiled. '.repeat(LONG_CHARS / 45)}`,
  'mails/quay.eml': MAIL,
  'mails/all.mbox': `From ana@x.example Sun Mar  1 09:00:00 2026\n${BOXED}`,
  'old.zip': zipOf([{ name: 'old/berths.md', content: 'Berth four is free.' }]),
  'memories.json': '{"results": [{"id": "1", "memory": "Prefers the morning ferry.", "user_id": "ana"}]}',
}

const place = mkdtempSync(join(tmpdir(), 'cairn-added-before-'))
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** Compiles the program at an earlier commit with the currently installed packages. Returns its command. */
function compileOlder(): string {
  const folder = join(place, 'older')
  mkdirSync(join(folder, 'node_modules/@cairn'), { recursive: true })
  execFileSync('/bin/sh', ['-c', `git archive ${OLDER} | tar -x -C '${folder}'`], { cwd: PROJECT })
  for (const name of readdirSync(join(PROJECT, 'node_modules'))) {
    if (name !== '@cairn') symlinkSync(join(PROJECT, 'node_modules', name), join(folder, 'node_modules', name))
  }
  for (const name of readdirSync(join(folder, 'packages'))) {
    symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules/@cairn', name))
  }
  execFileSync(process.execPath, ['-e', 'import("./scripts/build.mjs").then(({ compile }) => compile())'], {
    cwd: folder,
    stdio: 'ignore',
  })
  return join(folder, 'packages/cli/bin/cairn.js')
}

const apiKey = newApiKey()

/**
 * Starts a service with a program, adds the folder with its command line, and returns the record ids by external id.
 */
async function added(bin: string, isAgain = false): Promise<Map<string, string>> {
  const server = startScript([bin, 'serve'], {
    CAIRN_PORT: '0',
    CAIRN_EXAMPLE: 'off',
    CAIRN_ENCODER: 'off',
    CAIRN_DATA: join(place, 'data'),
    CAIRN_BOOTSTRAP_API_KEY: apiKey,
  })
  try {
    const url = await addressOf(server)
    const call = async (path: string, body?: object) => {
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
      const reply = await fetch(`${url}/api/v1/storage/sandboxes${path}`, {
        headers,
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
      expect(reply.ok).toBe(true)
      return reply.text()
    }
    if (!isAgain) await call('', { name: 'Main', owner_id: randomUUID() })
    const { sandboxes } = JSON.parse(await call(''))
    const settings = { CAIRN_URL: url, CAIRN_API_KEY: apiKey, CAIRN_SANDBOX: sandboxes[0].sandbox_id }
    const { code, stderr } = await runCommand(bin, ['add', 'folder'], place, settings)
    expect(code, stderr).toBe(0)
    const lines = (await call(`/${sandboxes[0].sandbox_id}/export`)).split('\n').filter(Boolean)
    const records = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'record')
    return new Map(records.map(({ external_id, record_id }) => [external_id, record_id]))
  } finally {
    server.process.kill('SIGTERM')
    await server.ended
  }
}

const isThere = spawnSync('git', ['cat-file', '-e', `${OLDER}^{commit}`], { cwd: PROJECT }).status === 0

it.skipIf(!isThere)(
  'records added by an older version keep their ids when the folder is added again',
  async () => {
    for (const [path, content] of Object.entries(FOLDER)) {
      mkdirSync(dirname(join(place, 'folder', path)), { recursive: true })
      writeFileSync(join(place, 'folder', path), content)
    }
    const before = await added(compileOlder())
    expect([...before.keys()].sort()).toEqual(
      [
        'berths.md',
        'email/box@x.example',
        'email/quay@x.example',
        'lamp.md',
        'memory/1',
        'work/long.md',
        'work/ropes.txt',
      ].sort(),
    )
    compile()
    const after = await added(CLI_BIN, true)
    const parts = [...after.keys()].filter((id) => !before.has(id))
    expect(parts).toEqual(['work/long.md#part 2'])
    for (const [id, recordId] of before) expect(after.get(id), id).toBe(recordId)
  },
  PATIENT_MS,
)
