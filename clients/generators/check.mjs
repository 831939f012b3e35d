// `npm run test:openapi`: what linters and generators of other people make of /openapi.json. They are fetched from the
// registry by their versions into a folder of their own, since nothing else needs them.
import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const CONTRACT = new URL('../../packages/contract/dist/index.js', import.meta.url)
const PROGRAM = fileURLToPath(new URL('./openapi-fetch.ts', import.meta.url))
const TOOLS = [
  '@hey-api/openapi-ts@0.80.16',
  '@redocly/cli@2.77.0',
  '@stoplight/spectral-cli@6.16.3',
  'openapi-fetch@0.17.0',
  'openapi-typescript@7.13.0',
  'typescript@5.9.3',
]
const PYTHON_TOOL = 'openapi-python-client==0.29.1'
const RUN_MS_MAX = 300_000
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024

const folder = mkdtempSync(join(tmpdir(), 'cairn-openapi-'))
const bin = (/** @type {string} */ name) => join(folder, 'node_modules', '.bin', name)

/**
 * What a program prints; throws with that when it fails.
 * @param {string} command @param {string[]} args @returns {Promise<string>}
 */
async function printed(command, args) {
  const options = { cwd: folder, timeout: RUN_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX }
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, options)
    return `${stdout}${stderr}`
  } catch (error) {
    const { stdout = '', stderr = '' } = /** @type {{ stdout?: string, stderr?: string }} */ (error)
    throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error })
  }
}

/** @param {string} name @param {() => Promise<string>} run */
async function check(name, run) {
  const startedAt = performance.now()
  const said = await run()
  process.stdout.write(`${name}: ${said} (${((performance.now() - startedAt) / 1000).toFixed(0)} s)\n`)
}

/** Generates what `openapi-fetch` is typed by, and type-checks a program of twenty lines that uses it. */
async function checkProgram() {
  await printed(bin('openapi-typescript'), ['openapi.json', '-o', 'schema.d.ts'])
  copyFileSync(PROGRAM, join(folder, 'program.ts'))
  const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck']
  await printed(bin('tsc'), [...strict, 'program.ts'])
  return 'twenty lines type-check'
}

/** Generates Python, of which no schema may be left out; media types that it does not know it says itself. */
async function checkPython() {
  await printed('python3', ['-m', 'venv', 'python'])
  const own = join(folder, 'python', 'bin')
  await printed(join(own, 'python'), ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', PYTHON_TOOL])
  const args = ['generate', '--path', 'openapi.json', '--output-path', 'made', '--meta', 'none']
  const said = await printed(join(own, 'openapi-python-client'), args)
  if (/Unable to process|Invalid property/.test(said)) throw new Error(said)
  return 'no schema is left out'
}

try {
  const { openApi, operations } = await import(CONTRACT.href)
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(openApi(operations, '0.1.0')))
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}')
  writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  await check('install', async () => {
    await printed('npm', ['install', ...quiet, ...TOOLS])
    return `${TOOLS.length} tools`
  })
  await Promise.all([
    check('redocly', async () => {
      await printed(bin('redocly'), ['lint', '--format=summary', 'openapi.json'])
      return 'no errors'
    }),
    check('spectral', async () => {
      await printed(bin('spectral'), ['lint', '--fail-severity=error', 'openapi.json'])
      return 'no errors'
    }),
    check('openapi-typescript', checkProgram),
    check('hey-api', async () => {
      await printed(bin('openapi-ts'), ['-i', 'openapi.json', '-o', 'hey', '-c', '@hey-api/client-fetch'])
      return `${readFileSync(join(folder, 'hey/sdk.gen.ts'), 'utf8').match(/^export const/gm)?.length} functions`
    }),
    check('openapi-python-client', checkPython),
  ])
} finally {
  rmSync(folder, { recursive: true, force: true })
}
