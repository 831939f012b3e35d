import { emptyLike } from './number-table.ts'

/** Words are addressed by the number of their page and the place on it. */
export const PAGE_SHIFT = 16
export const PAGE_WORDS = 2 ** PAGE_SHIFT
export const PAGE_MASK = PAGE_WORDS - 1

/** The first page begins so small and grows, since most sandboxes never fill it. */
const FIRST_PAGE_WORDS = 512
const GROWTH = 2

/** A page to begin with. */
export function firstPage(): Uint32Array {
  return new Uint32Array(FIRST_PAGE_WORDS)
}

/** Makes room for `words` after the first `used` ones of the last page, or on a new one; answers where they start. */
export function roomOnPage(pages: Uint32Array[], used: number, words: number): number {
  const last = pages.at(-1) ?? firstPage()
  if (pages.length === 0) pages.push(last)
  if (used + words <= last.length) return used
  if (used + words > PAGE_WORDS) {
    pages.push(emptyLike(last, PAGE_WORDS))
    return 0
  }
  const longer = emptyLike(last, Math.min(PAGE_WORDS, Math.max(last.length * GROWTH, used + words)))
  longer.set(last)
  pages[pages.length - 1] = longer
  return used
}

/** Bytes that pages take: all but the first are whole. */
export function pagesBytes(pages: readonly Uint32Array[]): number {
  const [first] = pages
  return first === undefined ? 0 : first.byteLength + (pages.length - 1) * PAGE_WORDS * Uint32Array.BYTES_PER_ELEMENT
}
