// `npm run test:openapi`: checks /openapi.json with third-party linters and code generators.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withTools } from '../tool-checks.mjs'

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

/** @typedef {import('../tool-checks.mjs').ToolChecks} ToolChecks */

/** Generates the types for `openapi-fetch`, and type-checks a short program that uses them. */
async function checkProgram(/** @type {ToolChecks} */ tools) {
  await tools.printed(tools.bin('openapi-typescript'), ['openapi.json', '-o', 'schema.d.ts'])
  copyFileSync(PROGRAM, join(tools.folder, 'program.ts'))
  const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck']
  await tools.printed(tools.bin('tsc'), [...strict, 'program.ts'])
  return 'twenty lines type-check'
}

/** Generates a Python client. No schema may be skipped; the generator reports media types it does not support. */
async function checkPython(/** @type {ToolChecks} */ tools) {
  const bin = await tools.installPython([PYTHON_TOOL])
  const args = ['generate', '--path', 'openapi.json', '--output-path', 'made', '--meta', 'none']
  const said = await tools.printed(join(bin, 'openapi-python-client'), args)
  if (/Unable to process|Invalid property/.test(said)) throw new Error(said)
  return 'no schema is left out'
}

await withTools('openapi', async (tools) => {
  const { folder } = tools
  const { openApi, operations } = await import(CONTRACT.href)
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(openApi(operations, '0.1.0')))
  writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
  await tools.install(TOOLS)
  await Promise.all([
    tools.check('redocly', async () => {
      await tools.printed(tools.bin('redocly'), ['lint', '--format=summary', 'openapi.json'])
      return 'no errors'
    }),
    tools.check('spectral', async () => {
      await tools.printed(tools.bin('spectral'), ['lint', '--fail-severity=error', 'openapi.json'])
      return 'no errors'
    }),
    tools.check('openapi-typescript', () => checkProgram(tools)),
    tools.check('hey-api', async () => {
      const args = ['-i', 'openapi.json', '-o', 'hey', '-c', '@hey-api/client-fetch']
      await tools.printed(tools.bin('openapi-ts'), args)
      return `${readFileSync(join(folder, 'hey/sdk.gen.ts'), 'utf8').match(/^export const/gm)?.length} functions`
    }),
    tools.check('openapi-python-client', () => checkPython(tools)),
  ])
})
