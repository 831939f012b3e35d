/** What stands in the place of HTML's tags that begin or end a block; other tags stay for the line's reader. */
const BLOCK_TAGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    (
      'address article aside blockquote center details dd div dl dt figcaption figure footer header hr main nav ol p ' +
      'pre section summary table tbody tfoot thead ul'
    )
      .split(' ')
      .map((name) => [name, '\n\n']),
  ),
  ...Object.fromEntries(['br', 'tr', 'td', 'th'].map((name) => [name, '\n'])),
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, '\n\n# '])),
  li: '\n- ',
}
// A code span shows a tag; it is not one. Ends at the next "<" at the latest, so that no sign is read twice.
const TAG_OR_CODE = /(`{1,3})[^`]{1,400}\1|<(\/?)([a-zA-Z][a-zA-Z0-9]{0,20})(?:[\s/][^<>]{0,4000})?>/g

/**
 * The text with lines in the places of HTML's blocks, without comments and without tags that run over several lines;
 * takes time in proportion to the text.
 */
export function htmlBlocksAsLines(text: string): string {
  if (!text.includes('<')) return text
  return withoutComments(text).replace(TAG_OR_CODE, (whole, code?: string, close?: string, tag = '') => {
    if (code) return whole
    const name = tag.toLowerCase()
    const lines = Object.hasOwn(BLOCK_TAGS, name) ? BLOCK_TAGS[name]! : undefined
    if (lines !== undefined) return close ? '\n\n' : lines
    return whole.includes('\n') ? ' ' : whole
  })
}

/** A comment that nothing closes is text. */
function withoutComments(text: string): string {
  const kept: string[] = []
  let from = 0
  for (let open = text.indexOf('<!--'); open !== -1; open = text.indexOf('<!--', from)) {
    const close = text.indexOf('-->', open + 4)
    if (close === -1) break
    kept.push(text.slice(from, open))
    from = close + 3
  }
  kept.push(text.slice(from))
  return kept.join('')
}
