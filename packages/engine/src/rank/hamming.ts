import compiled from './hamming-wasm.json' with { type: 'json' }
import { PAGE_WORDS, type Runs } from './number-tables.ts'

/** The members of the global `WebAssembly` that are used here. TypeScript's ES libraries do not declare them. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => { exports: unknown }
}

/** Exports of `hamming.wat`, which describes them and the layout of the memory. */
interface Kernel {
  memory: { readonly buffer: ArrayBuffer }
  scan(from: number, end: number, codeBytes: number, shift: number): void
}

const WORD_BYTES = 4
const VECTOR_WORDS = 4
/** Layout of the memory of `hamming.wat`, in bytes. */
const CODE_AT = 0
const MASK_AT = 512
const PAGE_AT = 1_024
const DISTANCES_AT = PAGE_AT + PAGE_WORDS * WORD_BYTES
/** Maximum length of a code in words: that of 4 096 dimensions. */
const CODE_WORDS_MAX = MASK_AT / WORD_BYTES

const { memory, scan } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(compiled.join(''), 'base64')))
  .exports as Kernel
/** Views of the module's memory, valid because its size is fixed. Their contents are valid only during a call. */
const words = new Uint32Array(memory.buffer)
const shorts = new Uint16Array(memory.buffer)

/** Hamming distance of the nearest code of each run. The index of a run is its `address >>> shift`. */
export interface RunDistances {
  distances: Uint16Array
  shift: number
}

/**
 * Computes the Hamming distance of a code to the nearest code of each run. All codes have the same length. `distances`
 * is the array of an earlier call, which is reused if it is long enough. The pages are copied to the memory of a
 * WebAssembly module one after the other, so the module needs no memory per index.
 */
export function scanRuns(runs: Runs, code: Uint32Array, distances: Uint16Array): RunDistances {
  if (code.length === 0 || code.length > CODE_WORDS_MAX) {
    throw new RangeError(`A code has ${code.length} words. Expected 1 to ${CODE_WORDS_MAX}`)
  }
  // A run occupies at least 2 ** shift words, because it stores the code and its length. Different runs therefore have
  // different indexes.
  const shift = 31 - Math.clz32(code.length + 1)
  const { pages } = runs
  const lastRun = ((pages.length - 1) * PAGE_WORDS + pages.at(-1)!.length) >>> shift
  const result = distances.length > lastRun ? distances : new Uint16Array(lastRun + 1)
  setCode(code)
  for (let number = 0; number < pages.length; number += 1) {
    const page = pages[number]!
    words.set(page, PAGE_AT / WORD_BYTES)
    // The first word of the first page is not used.
    const first = number === 0 ? 1 : 0
    scan(PAGE_AT + first * WORD_BYTES, PAGE_AT + page.length * WORD_BYTES, code.length * WORD_BYTES, shift)
    const from = DISTANCES_AT / Uint16Array.BYTES_PER_ELEMENT
    result.set(shorts.subarray(from, from + (page.length >>> shift)), (number * PAGE_WORDS) >>> shift)
  }
  return { distances: result, shift }
}

/** Writes the code of a question to the memory, and a mask for the words of its last, incomplete SIMD vector. */
function setCode(code: Uint32Array): void {
  const rest = code.length % VECTOR_WORDS || VECTOR_WORDS
  words.fill(0, CODE_AT, PAGE_AT / WORD_BYTES)
  words.set(code, CODE_AT)
  words.fill(-1, MASK_AT / WORD_BYTES, MASK_AT / WORD_BYTES + rest)
}
