/** A list in a lexicon file: entries separated by commas, split over several lines if it is long. */
export type Written = string | readonly string[]

/** Returns the entries of a list in order. */
export function entriesOf(written: Written = []): string[] {
  return [written].flat().flatMap((line) => line.split(', '))
}

/** Pattern source for the gap between two entries: up to 40 characters, ending before a word. */
const GAP = '[^?]{0,40}(?<!\\p{L})'
/** Matches scripts without spaces between words. */
const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff]/

/**
 * Returns the pattern source that matches any of the entries, longest first. In an entry, `*` means any further letters
 * of a word, `+` at least one, `#` a digit, and ` … ` a few words (in patterns with the flag u). `?` makes the
 * preceding letter or group, `(a|b)` or `[ab]`, optional.
 */
export function anyOf(...lists: readonly (readonly string[])[]): string {
  const entries = [...new Set(lists.flat())].sort((one, other) => other.length - one.length)
  const source = entries.join('|').replaceAll(' … ', GAP)
  return `(?:${source
    .replace(/\((?!\?)/g, '(?:')
    .replace(/[*+]/g, '\\w$&')
    .replaceAll('#', '\\d')})`
}

/**
 * Returns the pattern source of `anyOf` restricted to whole words, for patterns with the flag u. Entries in scripts
 * without spaces match anywhere.
 */
export function wholeOf(...lists: readonly (readonly string[])[]): string {
  const [dense, spaced] = [true, false].map((is) => lists.flat().filter((entry) => UNSPACED.test(entry) === is))
  const whole = `(?<!\\p{L})${anyOf(spaced!)}(?!\\p{L})`
  return dense!.length > 0 ? `(?:${whole}|${anyOf(dense!)})` : whole
}
