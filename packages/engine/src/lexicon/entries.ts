/** A list as the files write it: entries parted by commas, over several lines where it is long. */
export type Written = string | readonly string[]

/** The entries of a list in order. */
export function entriesOf(written: Written = []): string[] {
  return [written].flat().flatMap((line) => line.split(', '))
}

/** A few words of a question or label, up to the beginning of one. */
const GAP = '[^?]{0,40}(?<!\\p{L})'
/** What is written without spaces between its words. */
const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff]/

/**
 * A pattern's source for any of some entries, the longest first. In an entry `*` stands for any further letters of a
 * word and `+` for at least one, `#` for a digit and ` … ` for a few words (in patterns with the flag u); `?` makes
 * what stands before it optional, a letter or a group as `(a|b)` and `[ab]`.
 */
export function anyOf(...lists: readonly (readonly string[])[]): string {
  const entries = [...new Set(lists.flat())].sort((one, other) => other.length - one.length)
  const source = entries.join('|').replaceAll(' … ', GAP)
  return `(?:${source
    .replace(/\((?!\?)/g, '(?:')
    .replace(/[*+]/g, '\\w$&')
    .replaceAll('#', '\\d')})`
}

/** The same as whole words, in patterns with the flag u; between words without spaces there are no edges to see. */
export function wholeOf(...lists: readonly (readonly string[])[]): string {
  const [dense, spaced] = [true, false].map((is) => lists.flat().filter((entry) => UNSPACED.test(entry) === is))
  const whole = `(?<!\\p{L})${anyOf(spaced!)}(?!\\p{L})`
  return dense!.length > 0 ? `(?:${whole}|${anyOf(dense!)})` : whole
}
