import { firstPage, PAGE_MASK, PAGE_SHIFT, PAGE_WORDS, pagesBytes, roomOnPage } from './pages.ts'

/** Short arrays of 32-bit words, each written once and freed whole, in pages: no object per array. */
export interface Runs {
  pages: Uint32Array[]
  /** First unused word of the last page. */
  top: number
  /** Addresses of freed runs by their length in words. */
  free: Map<number, number[]>
}

/** Words of the longest run: one page holds it with its length. */
export const RUN_WORDS_MAX = PAGE_WORDS - 1

export function createRuns(): Runs {
  // Address 0 is never given out: it stands for no run.
  return { pages: [firstPage()], top: 1, free: new Map() }
}

/** A place for `length` words: its page, while no other is taken, and where they start; `address` finds it again. */
export function takeRun(runs: Runs, length: number): { address: number; page: Uint32Array; at: number } {
  const words = length + 1
  let address = runs.free.get(words)?.pop()
  if (address === undefined) {
    runs.top = roomOnPage(runs.pages, runs.top, words)
    address = (runs.pages.length - 1) * PAGE_WORDS + runs.top
    runs.top += words
  }
  const page = runs.pages[address >>> PAGE_SHIFT]!
  const at = address & PAGE_MASK
  page[at] = length
  return { address, page, at: at + 1 }
}

/** A run's page, where its words start and how many they are. */
export function readRun(runs: Runs, address: number): { page: Uint32Array; at: number; length: number } {
  const page = runs.pages[address >>> PAGE_SHIFT]!
  const at = address & PAGE_MASK
  return { page, at: at + 1, length: page[at]! }
}

export function freeRun(runs: Runs, address: number): void {
  const words = readRun(runs, address).length + 1
  const list = runs.free.get(words)
  if (list === undefined) runs.free.set(words, [address])
  else list.push(address)
}

export function runsBytes(runs: Runs): number {
  return pagesBytes(runs.pages)
}
