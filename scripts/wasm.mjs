// `npm run wasm`: compiles the WebAssembly sources to JSON files that the engine imports. A test compares them.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import openWabt from 'wabt'

const SOURCE = new URL('../packages/engine/src/rank/hamming.wat', import.meta.url)
const COMPILED = new URL('../packages/engine/src/rank/hamming-wasm.json', import.meta.url)
const LINE_CHARS = 100

/** Compiles `hamming.wat` to the text of `hamming-wasm.json`: the module in base64, as an array of lines. */
export async function compileHamming() {
  const wabt = await openWabt()
  const parsed = wabt.parseWat('hamming.wat', readFileSync(SOURCE, 'utf8'), { simd: true })
  parsed.validate()
  const base64 = Buffer.from(parsed.toBinary({}).buffer).toString('base64')
  parsed.destroy()
  const lines = base64.match(new RegExp(`.{1,${LINE_CHARS}}`, 'g')) ?? []
  return `${JSON.stringify(lines, null, 2)}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(COMPILED, await compileHamming())
