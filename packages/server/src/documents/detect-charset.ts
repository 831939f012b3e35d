import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** Functions of chardetng's WebAssembly module that are called. */
interface Exports {
  memory: { buffer: ArrayBuffer }
  encodingdetector_new(): number
  encodingdetector_feed(detector: number, at: number, bytes: number, isLast: number): number
  encodingdetector_guess(result: number, detector: number, domain: number, domainBytes: number, utf8: number): void
  __wbg_encodingdetector_free(detector: number): void
  __wbindgen_add_to_stack_pointer(by: number): number
  __wbindgen_malloc(bytes: number): number
  __wbindgen_free(at: number, bytes: number): void
}

/** The part of the WebAssembly API that is used here. Only the type definitions for browsers declare it. */
interface Engine {
  Module: new (code: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: unknown }
}

const CODE = 'chardetng-wasm/dist/chardetng_wasm_bg.wasm'
/** Number of bytes that the detector writes: the address and the length of the charset's name. */
const RESULT_BYTES = 16
const RESULT_WORDS = 2
let detector: Exports | undefined

/**
 * Returns the charset of a text by its bytes, with its name in the Encoding Standard. Uses Firefox's detector. Its
 * WebAssembly module is called directly, because the package's own loader needs a bundler.
 * @param isWhole true if no bytes follow, so that the last character is complete
 */
export function detectCharset(bytes: Uint8Array, isWhole: boolean): string {
  detector ??= openDetector()
  const { memory, ...calls } = detector
  const own = calls.encodingdetector_new()
  const at = calls.__wbindgen_malloc(bytes.length)
  new Uint8Array(memory.buffer).set(bytes, at)
  // The detector frees these bytes itself.
  calls.encodingdetector_feed(own, at, bytes.length, isWhole ? 1 : 0)
  const result = calls.__wbindgen_add_to_stack_pointer(-RESULT_BYTES)
  calls.encodingdetector_guess(result, own, 0, 0, 0)
  const [place = 0, length = 0] = new Int32Array(memory.buffer, result, RESULT_WORDS)
  const name = Buffer.from(memory.buffer, place, length).toString('latin1')
  calls.__wbindgen_add_to_stack_pointer(RESULT_BYTES)
  calls.__wbindgen_free(place, length)
  calls.__wbg_encodingdetector_free(own)
  return name
}

function openDetector(): Exports {
  const { Module, Instance } = (globalThis as unknown as { WebAssembly: Engine }).WebAssembly
  const module = new Module(readFileSync(createRequire(import.meta.url).resolve(CODE)))
  const throwError = () => {
    throw new Error('The charset detector failed.')
  }
  const imports = { './chardetng_wasm_bg.js': { __wbindgen_throw: throwError } }
  return new Instance(module, imports).exports as Exports
}
