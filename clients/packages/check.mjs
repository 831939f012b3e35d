// `npm run test:packages`: what the linters of others say of what is published: each package as npm packs it, and the
// Python wheel.
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withTools } from '../tool-checks.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const TOOLS = ['publint@0.3.25', '@arethetypeswrong/cli@0.18.5']
const PYTHON_TOOLS = ['build==1.6.1', 'hatchling==1.33.0', 'twine==7.0.0']

/** @typedef {import('../tool-checks.mjs').ToolChecks} ToolChecks */

/** Every entry of a package must be there, and its types be found by what imports ES modules. */
async function checkTarball(/** @type {ToolChecks} */ tools, /** @type {string} */ tarball) {
  await tools.printed(tools.bin('publint'), ['--strict', tarball])
  const said = await tools.printed(tools.bin('attw'), ['--profile', 'esm-only', '--no-color', tarball])
  return /does not contain types/.test(said) ? 'all entries are there' : 'all entries are there, with types'
}

/** Builds the wheel and the source distribution elsewhere, for a build leaves files behind. */
async function checkWheel(/** @type {ToolChecks} */ tools) {
  const bin = await tools.installPython(PYTHON_TOOLS)
  const source = join(tools.folder, 'source')
  cpSync(join(ROOT, 'clients/python'), source, { recursive: true })
  await tools.printed(join(bin, 'python'), ['-m', 'build', '--no-isolation', '--outdir', 'wheels', source])
  const files = readdirSync(join(tools.folder, 'wheels'))
  await tools.printed(join(bin, 'twine'), ['check', '--strict', ...files.map((name) => join('wheels', name))])
  return files.join(', ')
}

await withTools('packages', async (tools) => {
  await tools.install(TOOLS)
  await tools.printed('npm', ['pack', '--workspaces', '--silent', '--pack-destination', tools.folder], ROOT)
  const packed = readdirSync(tools.folder).filter((name) => name.endsWith('.tgz'))
  await Promise.all([
    ...packed.map((tarball) => tools.check(tarball, () => checkTarball(tools, tarball))),
    tools.check('twine', () => checkWheel(tools)),
  ])
})
