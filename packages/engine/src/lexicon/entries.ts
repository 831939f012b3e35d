/** A list as the files write it: entries parted by commas, over several lines where it is long. */
export type Written = string | readonly string[]

/** The entries of a list in order. */
export function entriesOf(written: Written = []): string[] {
  return [written].flat().flatMap((line) => line.split(', '))
}

/** A pattern's source for any of some entries, the longest first; `*` stands for any further letters of a word. */
export function anyOf(...lists: readonly (readonly string[])[]): string {
  const entries = [...new Set(lists.flat())].sort((one, other) => other.length - one.length)
  return `(?:${entries.join('|').replaceAll('*', '\\w*')})`
}
