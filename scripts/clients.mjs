// `npm run clients`: writes the parts of the clients that are generated from the contract. Tests compare them.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'
import { methodsOf } from './clients/methods-of.mjs'
import { pythonFiles } from './clients/python.mjs'
import { typescriptFiles } from './clients/typescript.mjs'

const CONTRACT = new URL('../packages/contract/dist/index.js', import.meta.url)
const TYPESCRIPT = 'packages/client/src/generated'
const PYTHON = 'clients/python/src/cairnstore/generated'

/**
 * Returns the generated files of every client, by path from the root.
 * @param {Record<string, any>} operations of the contract
 * @param {Record<string, any>} document OpenAPI document of the same operations
 * @returns {Record<string, string>}
 */
export function clientFiles(operations, document) {
  const methods = methodsOf(operations, document)
  const inFolder = (/** @type {string} */ folder, /** @type {Record<string, string>} */ files) =>
    Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text])
  return Object.fromEntries([
    ...inFolder(TYPESCRIPT, typescriptFiles(methods, document)),
    ...inFolder(PYTHON, pythonFiles(methods, document)),
  ])
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  build()
  const { openApi, operations } = await import(CONTRACT.href)
  for (const [path, text] of Object.entries(clientFiles(operations, openApi(operations, '')))) {
    const file = fileURLToPath(new URL(`../${path}`, import.meta.url))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}
