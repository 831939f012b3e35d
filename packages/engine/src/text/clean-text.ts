import { hasSpace, oneLine } from './characters.ts'
import { pattern } from './words.ts'

// Matches control characters except tab and line feed, bidirectional marks and overrides, zero-width spaces, byte order
// marks, soft hyphens, invisible operators, tag characters and lone surrogates. Displaying them is unsafe.
const INVISIBLE = pattern(
  'gu',
  '(?![\\n\\t])\\p{Cc}|',
  '[\\u00ad\\u061c\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]|',
  '\\p{Cs}',
)
const HTML_ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
}
// Most texts are printable ASCII and need no further processing.
const PLAIN = /^[\n -~]*$/
const MARKUP = /[<&*_`~[\\]|:[a-z0-9_+-]+:|\(\s|\s[,;:!?.)\]]/
const EMOJI = /(?![\d#*©®™])\p{Extended_Pictographic}|\ufe0f/u
// All repetitions below are bounded or end at a character that starts the next match. Texts are untrusted and must not
// cause excessive backtracking.
const CODE = /(`{1,2})([^`]{1,400})\1/g
// Destination and title of a link as in CommonMark 0.31 §6.3: in angle brackets, or with balanced parentheses.
const TITLE = `(?:\\s{1,3}(?:"[^"]{0,200}"|'[^']{0,200}'))?\\s{0,3}\\)`
const PARTS = '(?:\\([^()\\s]{0,200}\\)[^()\\s]{0,300}){0,3}'
const TARGET = `\\((?:<[^<>\\n]{0,600}>|[^()\\s]{1,1500}${PARTS})${TITLE}`
const BRACKETED = '\\[((?:[^[\\]]|\\[[^[\\]]{0,100}\\]){0,300})\\]'
// "[words][name]" is a reference link; "list[i][j]" is not.
const REFERENCE = '\\[[^[\\]]{0,200}\\]'
const IMAGE = new RegExp(`!${BRACKETED}(?:${TARGET}|${REFERENCE})`, 'g')
const LINK = new RegExp(`${BRACKETED}${TARGET}`, 'g')
const LINK_BY_REFERENCE = new RegExp(`(?<![\\p{L}\\p{N}\\])])${BRACKETED}${REFERENCE}`, 'gu')
const SHORTCUT = /\[([^[\]]{1,200})\]/g
/** Non-breaking spaces. */
const FIXED_SPACES = /[\u00a0\u202f\u2007]/g
const NONE: ReadonlySet<string> = new Set()

/** Removes invisible characters and normalizes line breaks. */
export function cleanText(text: string): string {
  if (PLAIN.test(text)) return text
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(INVISIBLE, '')
    .replace(FIXED_SPACES, ' ')
    .replaceAll('\t', ' ')
}

/** Replaces each invisible character by `sign`. The offsets of the other characters stay the same. */
export function replaceInvisible(sign: string, text: string): string {
  if (PLAIN.test(text)) return text
  return text
    .replaceAll('\r\n', `${sign}\n`)
    .replace(/[\r\u2028\u2029]/g, '\n')
    .replace(INVISIBLE, (unseen) => sign.repeat(unseen.length))
    .replace(FIXED_SPACES, ' ')
}

/** Returns the text as one line without invisible characters and markup, for names and titles. */
export function plainLine(text: string): string {
  return oneLine(inlineText(cleanText(text)))
}

/** Returns a title without its final parenthesis. */
export function bareTitle(title: string): string {
  const bare = title.replace(/\s*[([][^)\]]*[)\]]\s*$/, '').trim()
  return bare === '' ? title : bare
}

/**
 * Removes inline markup from a line of clean text. Links keep their text, mentions their name, and code its content.
 * `defined` has the lower-case names of link definitions; "[name]" is then a link.
 */
function inlineText(text: string, defined: ReadonlySet<string> = NONE): string {
  const masked = maskInline(text, defined)
  return masked === text ? text : masked.replaceAll(REMOVED, '')
}

/**
 * Removes the same markup as `inlineText`, but replaces each removed character by REMOVED, so that the offsets of the
 * other characters stay the same.
 */
export function maskInline(text: string, defined: ReadonlySet<string> = NONE): string {
  if (!MARKUP.test(text) && (PLAIN.test(text) || !EMOJI.test(text))) return text
  const codes: { at: number; shown: string }[] = []
  const withoutCode = text.replace(CODE, (whole, ticks: string, code: string, at: number) => {
    codes.push({ at, shown: `${removed(ticks.length)}${code}${removed(ticks.length)}` })
    return CODE_PLACEHOLDER.repeat(whole.length)
  })
  const masked = withoutEmphasis(withoutTags(withoutLinks(withoutCode, defined)))
    .replace(/\\([*_[\]<>#`|~])/g, `${REMOVED}$1`)
    .replace(BLANKS, unspaced)
  const shown: string[] = []
  let end = 0
  for (const { at, shown: code } of codes) {
    shown.push(masked.slice(end, at), code)
    end = at + code.length
  }
  return shown.join('') + masked.slice(end)
}

/** Placeholder for a removed character. Clean text never contains it. */
export const REMOVED = '\u0000'
/** Placeholder for code while other markup is parsed. Clean text never contains it. */
const CODE_PLACEHOLDER = '\u0001'
/**
 * Matches white space and removed characters, including an opening parenthesis directly before them if it follows a
 * word. Each match is maximal.
 */
const BLANKS = pattern('gu', '(?:(?<=[\\p{L}\\p{N}])\\()?[\\s\\0]+')
const CLOSES = pattern('', '^[,;:!?.)\\]](?:[\\s\\0]|$)')

/** Masks spaces after "(" and before punctuation, which removed markup leaves. Moves a space after "(" before it. */
function unspaced(blanks: string, at: number, text: string): string {
  if (!hasSpace(blanks)) return blanks
  if (blanks.startsWith('(')) return ` (${removed(blanks.length - 2)}`
  const end = at + blanks.length
  return CLOSES.test(text.slice(end, end + 2)) ? removed(blanks.length) : blanks
}

function removed(length: number): string {
  return REMOVED.repeat(length)
}

/** Keeps the visible part of a match at its offset and masks the rest. */
function keepVisible(whole: string, shown = ''): string {
  const at = whole.indexOf(shown)
  return `${removed(at)}${shown}${removed(whole.length - at - shown.length)}`
}

/** Removes images and links. A link that contains only an image is removed with it. */
function withoutLinks(text: string, defined: ReadonlySet<string>): string {
  if (!text.includes('[') && !text.includes('<')) return text
  const linked = text
    .replace(IMAGE, (whole) => removed(whole.length))
    .replace(LINK, keepVisible)
    .replace(LINK_BY_REFERENCE, keepVisible)
  return (defined.size === 0 ? linked : withoutShortcuts(linked, defined))
    .replace(/\[\^[^[\]\s]{1,40}\]:?/g, (whole) => removed(whole.length))
    .replace(/<[@#!][A-Z0-9]{1,40}\|([^>]{1,200})>/g, keepLast)
    .replace(/<!(here|channel|everyone)>|<[@#][A-Z0-9]{6,40}>/g, (whole) => removed(whole.length))
    .replace(/<(?:https?|mailto):[^|>\s]{1,600}\|([^>]{1,300})>/g, keepLast)
    .replace(/<((?:https?:\/\/|mailto:)[^>\s]{1,600})>/g, keepVisible)
}

/** Keeps the visible part at the end of a match, before the closing bracket. */
function keepLast(whole: string, shown: string): string {
  return `${removed(whole.length - shown.length - 1)}${shown}${REMOVED}`
}

function withoutShortcuts(text: string, defined: ReadonlySet<string>): string {
  return text.replace(SHORTCUT, (whole, name: string) =>
    defined.has(name.toLowerCase()) ? keepVisible(whole, name) : whole,
  )
}

function withoutTags(text: string): string {
  return text
    .replace(/<\/?[a-zA-Z][^<>]*>/g, (whole) => ` ${removed(whole.length - 1)}`)
    .replace(
      /&(#\d{2,6}|[a-z]{2,6});/g,
      (whole, name: string) => htmlEntity(name)?.padEnd(whole.length, REMOVED) ?? whole,
    )
    .replace(/(?<![\p{L}\p{N}:]):[a-z0-9_+-]{2,30}:(?![\p{L}\p{N}:])/gu, (whole) => removed(whole.length))
    .replace(
      /(?![\d#*©®™])\p{Extended_Pictographic}(?:[\u{1f3fb}-\u{1f3ff}\ufe0f]|\u200d\p{Extended_Pictographic})*/gu,
      (whole) => removed(whole.length),
    )
    .replaceAll('\ufe0f', REMOVED)
}

function withoutEmphasis(text: string): string {
  return text
    .replace(/(?<![\p{L}\p{N}*\\])(\*{1,3})(?=\S)([^*]{1,600}?)(?<=[^\s\\])\1(?![\p{L}\p{N}*])/gu, keepBetween)
    .replace(/\*\*(\p{L}{1,40})\*\*/gu, keepVisible)
    .replace(/(?<![\p{L}\p{N}_\\])(_{1,3})(?=\S)([^_]{1,600}?)(?<=[^\s\\])\1(?![\p{L}\p{N}_])/gu, keepBetween)
    .replace(/~~(?=\S)([^~]{1,400}?)(?<=\S)~~/g, keepVisible)
}

function keepBetween(_whole: string, marks: string, shown: string): string {
  return `${removed(marks.length)}${shown}${removed(marks.length)}`
}

function htmlEntity(name: string): string | undefined {
  if (!name.startsWith('#')) return HTML_ENTITIES[name]
  const code = Number(name.slice(1))
  return code >= 0x20 && code < 0xd800 ? String.fromCodePoint(code).replace(INVISIBLE, '') : undefined
}
