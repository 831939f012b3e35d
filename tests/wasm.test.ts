import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { compileHamming } from '../scripts/wasm.mjs'

it('the compiled WebAssembly module is that of its source', async () => {
  expect(await compileHamming()).toBe(readFileSync('packages/engine/src/rank/hamming-wasm.json', 'utf8'))
})
