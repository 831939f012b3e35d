import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Child, startScript } from '../harness/child.ts'
import { lines, pdfOf } from '../harness/documents.ts'
import { type LinearToolServer, openLinearToolServer } from '../harness/linear-tool-server.ts'
import { type RealToolServer, startEverythingServer } from '../harness/real-tool-servers.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts'
import { zipOf } from '../harness/zip.ts'
import { FIRST_PAGE, isRun, type Page, readPages, type Snippet } from './snippets.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Marker printed before the output of each snippet. */
const MARK = '\u001e'
const TSC = join(ROOT, 'node_modules/.bin/tsc')
const COMPILER = {
  strict: true,
  skipLibCheck: true,
  module: 'nodenext',
  target: 'es2022',
  types: ['node'],
  rootDir: '.',
  outDir: 'built',
}
/** Shell functions that make an HTTP error fail the command, also inside `$(…)`; `curl -s` ignores it. */
const SHELL = `
set -euo pipefail
curl() { command curl --fail-with-body "$@" || { echo "curl $*" >> "$HOME/refused"; return 1; }; }
`

/** Command that saves the variables and functions of a page for pages that continue from it. */
const KEEP = "declare -p | grep -E '^declare -[-x] [A-Za-z]'; declare -f"

const everything = readPages()
const pages = everything.filter(({ snippets }) => snippets.some((each) => isRun(each) || each.printed))

let folder: string
let server: Child
let places: [shown: string, real: string][]
let linear: LinearToolServer
let tools: RealToolServer
let receiver: WebhookReceiver
const inWork = (name: string) => join(folder, 'work', name)

beforeAll(async () => {
  for (const { at, notRun } of everything.flatMap(({ snippets }) => snippets)) {
    if (notRun !== undefined) process.stdout.write(`${at} is not run: ${notRun}\n`)
  }
  folder = mkdtempSync(join(tmpdir(), 'cairn-pages-'))
  linear = await openLinearToolServer()
  receiver = await openWebhookReceiver()
  tools = await startEverythingServer()
  const settings = { CAIRN_PORT: '0', CAIRN_ALLOW_LOOPBACK: 'on', CAIRN_LINEAR_MCP_URL: linear.url }
  server = startScript([join(ROOT, 'scripts/start.mjs')], { ...settings, CAIRN_DATA: join(folder, 'data') })
  layOut()
  const welcome = /The API reference is at (http:\S+)\/docs[\s\S]+To sign in to the console/
  const [, address = ''] = await server.untilPrinted(welcome)
  places = [
    ['http://127.0.0.1:8484', address],
    ['/tmp/', `${folder}/`],
    ['https://tools.example.com/mcp', tools.url],
    ['https://hooks.example.com/cairn', receiver.url],
    ['lin_api_…', 'lin_api_test'],
  ]
  writePrograms()
})
afterAll(async () => {
  server.process.kill('SIGTERM')
  await server.ended
  await Promise.all([linear.close(), receiver.close(), tools.close()])
  rmSync(folder, { recursive: true, force: true })
})

/**
 * Prepares the environment of a page: a clone to work in, notes and exports of other products, and Python with the
 * client.
 */
function layOut(): void {
  for (const name of ['home/notes', 'work']) mkdirSync(join(folder, name), { recursive: true })
  for (const name of ['packages', 'node_modules']) symlinkSync(join(ROOT, name), inWork(name))
  const note = '# Ferry\n\nThe ferry leaves at nine. Still open is who orders the ropes.\n'
  const mail =
    'From ada@example.com Tue Mar 10 09:00:00 2026\nFrom: Ada Berg <ada@example.com>\nSubject: Ropes\n' +
    'Date: Tue, 10 Mar 2026 09:00:00 +0000\nMessage-ID: <ropes@example.com>\n\nThe ropes are here.\n'
  const slack = {
    'users.json': [{ id: 'U1', name: 'ada', real_name: 'Ada Berg', profile: { email: 'ada@example.com' } }],
    'channels.json': [{ id: 'C1', name: 'pumps', created: 1773133200, creator: 'U1' }],
    'pumps/2026-03-10.json': [{ type: 'message', user: 'U1', ts: '1773133200.000100', text: 'Pump 7 runs again.' }],
  }
  const memories = {
    results: [{ id: 'm1', memory: 'Ada likes ropes.', user_id: 'ada', created_at: '2026-03-10T09:00:00Z' }],
  }
  writeFileSync(join(folder, 'home/notes/ferry.md'), note)
  writeFileSync(inWork('report.md'), '# Report\n\nPump 7 was cleaned in March.\n')
  writeFileSync(inWork('all-mail.mbox'), mail)
  writeFileSync(inWork('mem0-memories.json'), JSON.stringify(memories))
  writeFileSync(inWork('ferry.pdf'), pdfOf([lines(['The ferry takes forty cars.'])]))
  const files = Object.entries(slack).map(([name, content]) => ({ name, content: JSON.stringify(content) }))
  writeFileSync(inWork('slack-export.zip'), zipOf(files))
  execFileSync('python3', ['-m', 'venv', join(folder, 'python')])
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', join(ROOT, 'clients/python')]
  execFileSync(join(folder, 'python/bin/python'), pip)
}

/** Returns the file name of the program that a page shows in a language, in one or more snippets. */
const programOf = ({ path }: Page, language: string) => {
  const name = path.replaceAll(/[/.]/g, '-')
  return { ts: `${name}.ts`, js: `${name}-js.ts`, python: `${name}.py` }[language] ?? ''
}

/** Joins consecutive snippets into one program. Later snippets may declare the same names again. */
function joined(language: string, snippets: readonly Snippet[]): string {
  if (language === 'python') return snippets.map(({ code }) => code).join('\n')
  const isImport = (line: string) => line.startsWith('import ')
  const each = snippets.map(({ code }) => code.split('\n'))
  const imports = each.flatMap((all) => all.filter(isImport))
  const [first = '', ...others] = each.map((all) => all.filter((line) => !isImport(line)).join('\n'))
  return [...new Set(imports), first, ...others.map((code) => `{\n${code}}`), 'export {}\n'].join('\n')
}

function writePrograms(): void {
  writeFileSync(inWork('package.json'), JSON.stringify({ private: true, type: 'module' }))
  for (const page of pages) {
    for (const language of ['ts', 'js', 'python']) {
      const snippets = page.snippets.filter((each) => each.language === language && isRun(each))
      if (snippets.length > 0) writeFileSync(inWork(programOf(page, language)), joined(language, snippets))
    }
  }
  writeFileSync(inWork('tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER, include: ['*.ts'] }))
  execFileSync(TSC, ['-p', 'tsconfig.json'], { cwd: inWork('.'), stdio: 'inherit' })
}

/** Returns the shell command for a snippet. A program runs once, at the position of its last snippet. */
function commandOf(page: Page, snippet: Snippet): string {
  if (!isRun(snippet)) return ''
  const { language, code } = snippet
  if (language === 'sh') return places.reduce((text, [shown, real]) => text.replaceAll(shown, real), code)
  const last = page.snippets.findLast((each) => each.language === language && isRun(each))
  if (snippet !== last) return ''
  const program = programOf(page, language)
  if (language === 'python') return `"${folder}/python/bin/python" ${program}\n`
  return `node built/${program.replace(/ts$/, 'js')}\n`
}

/** Runs a page in the environment of the page that it continues. Returns the output of each snippet. */
async function run(page: Page): Promise<string[]> {
  const kept = (path: string) => join(folder, `${path.replaceAll('/', '-')}.env`)
  const before = page.path === FIRST_PAGE ? '' : `source ${kept(page.goesOnFrom)}\n`
  const steps = page.snippets.map((each, at) => `printf '${MARK}%s' ${at}\n${commandOf(page, each)}`)
  const script = [before, SHELL, ...steps, `{ ${KEEP}; } > ${kept(page.path)}\n`].join('\n')
  writeFileSync(join(folder, 'page.sh'), script)
  const refusals = join(folder, 'home/refused')
  writeFileSync(refusals, '')
  const shell = spawn('bash', [join(folder, 'page.sh')], {
    cwd: inWork('.'),
    env: {
      PATH: process.env.PATH,
      HOME: join(folder, 'home'),
      CAIRN_URL: places[0]?.[1],
      CAIRN_DATA: join(folder, 'data'),
    },
  })
  let printed = ''
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk) => (printed += chunk))
  shell.stdin.end()
  const code = await new Promise((resolve) => shell.once('close', resolve))
  const parts = printed.split(MARK).slice(1)
  const { at } = page.snippets[parts.length - 1] ?? { at: page.path }
  const refused = readFileSync(refusals, 'utf8')
  if (code !== 0 || refused !== '') throw new Error(`${at} ended with ${code}.\n${refused}${parts.at(-1)}`)
  return parts.map((part) => part.replace(/^\d+/, ''))
}

/**
 * Fails unless the shown text was printed. Whitespace is normalized and `…` matches anything. In JSON only the shown
 * fields are compared.
 */
function holds(printed: string, { language, code }: Snippet): void {
  if (language === 'json') {
    expect(JSON.parse(printed)).toMatchObject(asMatcher(JSON.parse(code)) as object)
    return
  }
  const parts = code.split('…').map((part) => part.trim().replaceAll(/\s+/g, ' '))
  const flattened = printed.replaceAll(/\s+/g, ' ')
  let from = 0
  for (const part of parts) {
    const found = flattened.indexOf(part, from)
    if (found === -1) expect(flattened.slice(from)).toContain(part)
    from = found + part.length
  }
}

function asMatcher(value: unknown): unknown {
  if (typeof value === 'string' && value.includes('…')) {
    const parts = value.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    return expect.stringMatching(new RegExp(`^${parts.join('.*')}$`, 's'))
  }
  if (Array.isArray(value)) return value.map(asMatcher)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, asMatcher(each)]))
}

describe.sequential('examples of a page run unchanged and print what the page shows', () => {
  it.each(pages.map((page) => [page.path, page] as const))('%s', async (_, page) => {
    const printed = await run(page)
    for (const [at, snippet] of page.snippets.entries()) {
      if (snippet.printed === undefined) continue
      const before = printed.slice(0, at).findLast((_, place) => isRun(page.snippets[place] as Snippet))
      holds(snippet.printed === 'before' ? (before ?? '') : server.printed(), snippet)
    }
  })
})
