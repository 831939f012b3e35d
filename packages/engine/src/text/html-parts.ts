import { Parser } from 'htmlparser2'

/** What stands in one block of HTML. */
export interface HtmlPart {
  /** UTF-16 offsets into the HTML: from its first sign that is shown to behind its last. */
  readonly start: number
  readonly end: number
  /** Of a heading, from 1 to 6. */
  readonly level?: number
  readonly isItem: boolean
}

/** Tags with which a block begins and ends. */
const BLOCKS: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote br caption center dd details div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul'
  ).split(' '),
)
const HEADING = /^h([1-6])$/
/** Elements of which nothing is shown as text. */
const UNSEEN: ReadonlySet<string> = new Set(['script', 'style', 'template', 'title', 'svg'])

/** Tells the blocks of HTML in order, without tags around them, comments, scripts and styles. */
export function eachHtmlPart(html: string, tell: (part: HtmlPart) => void): void {
  let start = -1
  let end = -1
  let heading: number | undefined
  let isItem = false
  let unseen = 0
  const flush = () => {
    if (start >= 0) tell({ start, end, isItem, ...(heading !== undefined && { level: heading }) })
    start = -1
    isItem = false
  }
  const handler = {
    onopentagname(name: string) {
      if (UNSEEN.has(name)) unseen += 1
      if (!BLOCKS.has(name)) return
      flush()
      const level = HEADING.exec(name)?.[1]
      if (level !== undefined) heading = Number(level)
      isItem = name === 'li'
    },
    ontext(text: string) {
      if (unseen > 0 || text.trim() === '') return
      if (start < 0) start = parser.startIndex + text.length - text.trimStart().length
      end = parser.startIndex + text.trimEnd().length
    },
    onclosetag(name: string) {
      if (UNSEEN.has(name)) unseen = Math.max(0, unseen - 1)
      if (!BLOCKS.has(name)) return
      flush()
      if (HEADING.test(name)) heading = undefined
    },
  }
  // Texts that are not decoded stand where they are said to.
  const parser = new Parser(handler, { decodeEntities: false })
  parser.write(html)
  parser.end()
  flush()
}
