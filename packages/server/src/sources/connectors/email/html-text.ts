import { convert } from 'html-to-text'

/** HTML that is read; a longer one is read up to here. */
const CHARS_MAX = 512 * 1024
const DEPTH_MAX = 64
const CHILDREN_MAX = 5_000
/** Elements that are open at once. The parser moves all of them at each one that opens, so it is given no more. */
const OPEN_MAX = 2_000
const TAG = /<(\/?)([a-z][^\s/>]*)/gi
/** Elements that have no end, or that the next of their kind ends. */
const UNNESTED = new Set([
  ...['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source', 'track', 'wbr'],
  ...['p', 'li', 'td', 'th', 'tr', 'dt', 'dd', 'option'],
])

/** What a person reads of HTML. */
export function htmlText(html: string): string {
  return convert(html.slice(0, readable(html)), {
    wordwrap: false,
    limits: { maxDepth: DEPTH_MAX, maxChildNodes: CHILDREN_MAX, ellipsis: '…' },
    selectors: [
      { selector: 'img', format: 'skip' },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: 'table', options: { uppercaseHeaderCells: false } },
      { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      ...['td', 'th'].map((selector) => ({ selector, format: 'inlineSurround', options: { suffix: ' ' } })),
    ],
  }).replace(TRAILING_SPACES, '')
}

/** What parts cells leaves a space behind the last one of a row. */
const TRAILING_SPACES = /(?<! ) +$/gm

/** Up to where HTML is read. An end that nothing began closes nothing, so that each name is counted by itself. */
function readable(html: string): number {
  const open = new Map<string, number>()
  let all = 0
  for (const { index, 1: slash, 2: given = '' } of html.slice(0, CHARS_MAX).matchAll(TAG)) {
    const name = given.toLowerCase()
    const count = open.get(name) ?? 0
    if (UNNESTED.has(name) || (slash && count === 0)) continue
    open.set(name, count + (slash ? -1 : 1))
    all += slash ? -1 : 1
    if (all > OPEN_MAX) return index
  }
  return CHARS_MAX
}
