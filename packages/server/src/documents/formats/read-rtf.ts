import iconv from 'iconv-lite'
import { type DocumentFile, type DocumentItem, markdownHeading, partsOf } from '../document.ts'

/** Names of groups whose content is not part of the document's text. */
const HIDDEN_GROUPS = new Set(
  (
    'fonttbl colortbl stylesheet listtable listoverridetable pict object header headerl headerr headerf footer ' +
    'footerl footerr footerf themedata datastore latentstyles xmlnstbl rsidtbl generator fldinst bkmkstart bkmkend ' +
    'mmathPr private'
  ).split(' '),
)
const CONTROL_TEXT: Readonly<Record<string, string>> = {
  par: '\n\n',
  line: '\n',
  tab: ' ',
  cell: ' | ',
  row: '\n',
  sect: '\n\n',
  page: '\n\n',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
}
/** Outline level of body text. Heading levels start at 0. */
const BODY_LEVEL = 9
const DEPTH_MAX = 1_000
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)/gi

interface Group {
  isHidden: boolean
  /** Number of fallback characters to skip after a Unicode escape. The control word `uc` sets it. */
  fallback: number
  info: string | undefined
}

/** Reads an RTF file: its paragraphs and headings, and its title and author if they are given. */
export async function* readRtf({ bytes }: DocumentFile): AsyncGenerator<DocumentItem> {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const groups: Group[] = [{ isHidden: false, fallback: 1, info: undefined }]
  const info = new Map<string, string>()
  // The decoder keeps the first byte of a two-byte character, because the two bytes can be in different tokens.
  let decoder = iconv.getDecoder('windows-1252')
  /** Number of open groups beyond the depth limit. They share the state of the deepest group. */
  let tooDeep = 0
  let text = ''
  let skip = 0
  const paragraphs: string[] = []
  /** Outline level of the current paragraph; undefined for body text. */
  let level: number | undefined
  const append = (addition: string) => {
    const group = groups.at(-1)!
    if (group.info) info.set(group.info, (info.get(group.info) ?? '') + addition)
    else if (!group.isHidden) text += addition
  }
  for (const [, word, number, hex, symbol, brace, plain] of source.matchAll(TOKEN)) {
    const group = groups.at(-1)!
    if (brace === '{') {
      if (groups.length < DEPTH_MAX) groups.push({ ...group })
      else tooDeep += 1
    } else if (brace === '}') {
      if (tooDeep > 0) tooDeep -= 1
      else if (groups.length > 1) groups.pop()
    } else if (hex !== undefined) {
      if (skip > 0) skip -= 1
      else append(decoder.write(Buffer.from(hex, 'hex')))
    } else if (plain !== undefined) {
      append(decoder.write(Buffer.from(plain.slice(skip), 'latin1')))
      skip = Math.max(0, skip - plain.length)
    } else if (symbol !== undefined) {
      if (symbol === '*') group.isHidden = true
      else append(symbol === '~' ? '\u00a0' : symbol === '_' ? '-' : '\\{}'.includes(symbol) ? symbol : '')
    } else if (word !== undefined) {
      if (word === 'u') {
        append(String.fromCharCode(Number(number) & 0xffff))
        skip = group.fallback
      } else if (word === 'uc') group.fallback = Number(number ?? 1)
      else if (word === 'ansicpg' && iconv.encodingExists(`cp${number}`)) decoder = iconv.getDecoder(`cp${number}`)
      else if (word === 'title' || word === 'author') group.info = word
      else if (word === 'info' || HIDDEN_GROUPS.has(word)) group.isHidden = true
      else if (group.isHidden) continue
      else if (word === 'pard') level = undefined
      else if (word === 'outlinelevel') level = Number(number ?? BODY_LEVEL)
      else if (word === 'par') {
        const isHeading = level !== undefined && level < BODY_LEVEL && text.trim() !== ''
        paragraphs.push(isHeading ? markdownHeading(level! + 1, text) : text)
        text = ''
      } else if (word in CONTROL_TEXT) append(CONTROL_TEXT[word]!)
    }
  }
  const author = info.get('author')?.trim()
  yield {
    kind: 'head',
    format: 'rtf',
    within: [],
    title: info.get('title')?.trim() || undefined,
    ...(author && { authors: [{ name: author }] }),
  }
  yield* partsOf([
    {
      text: [...paragraphs, text]
        .join(CONTROL_TEXT.par)
        .replace(/[ \t]+\n/g, '\n')
        .replace(/\n{3,}/g, '\n\n')
        .trim(),
    },
  ])
}
