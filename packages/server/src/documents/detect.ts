import { parseJson } from '../base/parse-json.ts'
import { decodeText, markedCharset } from './decode-text.ts'
import { type DocumentFile, type Medium, Refusal } from './document.ts'
import { isCaptions } from './formats/read-captions.ts'
import { openZipMembers, type ZipMembers } from './zip-members.ts'

export type Format =
  | 'pdf'
  | 'docx'
  | 'pptx'
  | 'xlsx'
  | 'odt'
  | 'odp'
  | 'ods'
  | 'epub'
  | 'rtf'
  | 'html'
  | 'calendar'
  | 'contacts'
  | 'json'
  | 'lines'
  | 'yaml'
  | 'notebook'
  | 'mail'
  | 'mailbox'
  | 'csv'
  | 'captions'
  | 'markdown'
  | 'restructured'
  | 'asciidoc'
  | 'org'
  | 'code'
  | 'text'
  | 'zip'
  | 'tar'
  | 'gzip'

/** Magic numbers (first bytes) of formats and their offsets. */
const MAGIC: readonly { at?: number; signs: string; is: Format | string }[] = [
  { signs: '{\\rtf', is: 'rtf' },
  { signs: '\x1f\x8b', is: 'gzip' },
  { at: 257, signs: 'ustar', is: 'tar' },
]
const PICTURES = [
  { signs: '\x89PNG', format: 'png' },
  { signs: 'GIF8', format: 'gif' },
  { signs: '\xff\xd8\xff', format: 'jpeg' },
  { at: 8, signs: 'WEBP', format: 'webp' },
]
const SOUNDS = [
  ...['ID3', '\xff\xfb', '\xff\xf3', '\xff\xf2'].map((signs) => ({ signs, format: 'mp3' })),
  { signs: 'OggS', format: 'ogg' },
  { signs: 'fLaC', format: 'flac' },
  { at: 8, signs: 'WAVE', format: 'wav' },
  { at: 4, signs: 'ftypM4A', format: 'm4a' },
]
/** Signature of WebM. Browsers record sound in this format, but it can also contain films. */
const WEBM = { signs: '\x1aE\xdf\xa3', detail: 'a video or sound', medium: { kind: 'sound', format: 'webm' } } as const
const UNSUPPORTED: readonly { at?: number; signs: string; detail: string; medium?: Medium }[] = [
  ...PICTURES.map(({ format, ...sign }) => ({
    ...sign,
    detail: 'an image',
    medium: { kind: 'picture', format } as const,
  })),
  ...SOUNDS.map(({ format, ...sign }) => ({
    ...sign,
    detail: 'an audio file',
    medium: { kind: 'sound', format } as const,
  })),
  ...['II*\0', 'MM\0*', 'BM'].map((signs) => ({ signs, detail: 'an image' })),
  { at: 4, signs: 'ftyp', detail: 'a video, audio file or image' },
  WEBM,
  { signs: 'FLV', detail: 'a video' },
  { at: 8, signs: 'AVI ', detail: 'a video' },
  ...['7z\xbc\xaf', 'Rar!', '\xfd7zXZ', 'BZh'].map((signs) => ({
    signs,
    detail: 'an archive other than zip, tar or gzip',
  })),
  ...['MZ', '\x7fELF', '\xca\xfe\xba\xbe'].map((signs) => ({ signs, detail: 'an executable' })),
  { signs: 'SQLite format 3', detail: 'a database' },
]
const OLE = '\xd0\xcf\x11\xe0'
const PDF_WITHIN = 1_024
const HEAD_BYTES = 4_096

const BY_TYPE: Readonly<Record<string, Format>> = {
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/calendar': 'calendar',
  'text/vcard': 'contacts',
  'text/x-vcard': 'contacts',
  'application/yaml': 'yaml',
  'application/x-yaml': 'yaml',
  'text/yaml': 'yaml',
  'text/x-rst': 'restructured',
  'text/asciidoc': 'asciidoc',
  'text/org': 'org',
  'message/rfc822': 'mail',
}
const BY_ENDING: Readonly<Record<string, Format>> = {
  csv: 'csv',
  tsv: 'csv',
  tab: 'csv',
  psv: 'csv',
  // Many programs write delimited text to files with the extension of Excel.
  xls: 'csv',
  md: 'markdown',
  markdown: 'markdown',
  mdx: 'markdown',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  yaml: 'yaml',
  yml: 'yaml',
  rst: 'restructured',
  adoc: 'asciidoc',
  asciidoc: 'asciidoc',
  org: 'org',
  eml: 'mail',
}
/** File extensions of source code and configuration. */
const CODE = new Set(
  (
    'py js mjs cjs ts tsx jsx java kt kts scala go rs c h cc cpp cxx hpp cs rb php pl pm swift m mm sh bash zsh ' +
    'fish ps1 bat sql r lua dart ex exs erl hs clj cljs ml fs vb groovy gradle tf hcl toml ini cfg conf ' +
    'properties env css scss less vue svelte proto graphql xml xsd xsl svg make mk cmake dockerfile'
  ).split(' '),
)

/** Detects a file's format by its content, media type, then extension. Throws a Refusal for any other. */
export async function detect(
  file: DocumentFile,
  unpack: (bytes: number) => void,
): Promise<{ format: Format; zip?: ZipMembers; text?: string }> {
  const { bytes, name, type } = file
  if (bytes.length === 0) throw new Refusal('empty_file')
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES)).toString('latin1')
  const binary = formatByMagic(head)
  if (binary) return { format: binary }
  if (head.startsWith('PK\x03\x04') || head.startsWith('PK\x05\x06')) {
    const zip = await openZipMembers(bytes, unpack)
    return { format: await formatOfZip(zip), zip }
  }
  if (head.startsWith(OLE)) throw oleRefusal(bytes)
  const unsupported = unsupportedKind(head, bytes)
  if (unsupported) throw new Refusal('unsupported_file', `This is ${unsupported.detail}, which is not supported.`)
  if (!isText(bytes)) throw new Refusal('unsupported_file', 'This is not text, and not a supported file type.')
  const text = decodeText(bytes)
  return { format: formatOfText(text, name, type), text }
}

/** Returns the medium of a picture or a recording that a model may read; undefined for other files. */
export function mediumOf(bytes: Uint8Array): Medium | undefined {
  return unsupportedKind(Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1'), bytes)?.medium
}

/**
 * Returns the name of an unsupported kind of file. Some magic numbers are also the beginning of words, so a file that
 * contains only text does not count.
 */
function unsupportedKind(head: string, bytes: Uint8Array) {
  const found = UNSUPPORTED.find(({ at = 0, signs }) => head.startsWith(signs, at))
  return found && !isText(bytes) ? found : undefined
}

/** Returns the format of a file by its first bytes; undefined if they are not conclusive. */
function formatByMagic(head: string): Format | undefined {
  if (head.slice(0, PDF_WITHIN).includes('%PDF-')) return 'pdf'
  return MAGIC.find(({ at = 0, signs }) => head.startsWith(signs, at))?.is as Format | undefined
}

/** Member names of a zip that is a single document (Office, OpenDocument or EPUB) and not an archive of files. */
const MAIN_PARTS = ['word/document.xml', 'ppt/presentation.xml', 'xl/workbook.xml', 'xl/workbook.bin']
const MIMETYPE_SIBLINGS = ['content.xml', 'META-INF/container.xml']

/** Returns true if a zip with these member names is one document. */
export function isDocument(names: readonly string[]): boolean {
  const has = (name: string) => names.includes(name)
  return has('[Content_Types].xml') ? MAIN_PARTS.some(has) : has('mimetype') && MIMETYPE_SIBLINGS.some(has)
}

async function formatOfZip(zip: ZipMembers): Promise<Format> {
  if (zip.has('[Content_Types].xml')) {
    if (zip.has('word/document.xml')) return 'docx'
    if (zip.has('ppt/presentation.xml')) return 'pptx'
    if (zip.has('xl/workbook.xml')) return 'xlsx'
    if (zip.has('xl/workbook.bin'))
      throw new Refusal('unsupported_file', 'This is a binary workbook (.xlsb); save it as .xlsx.')
  }
  const mimetype = zip.has('mimetype') ? (await zip.bytes('mimetype')).toString('latin1').trim() : ''
  if (mimetype === 'application/epub+zip') return 'epub'
  if (/opendocument\.text/.test(mimetype)) return 'odt'
  if (/opendocument\.spreadsheet/.test(mimetype)) return 'ods'
  if (/opendocument\.presentation/.test(mimetype)) return 'odp'
  return 'zip'
}

/** Returns the Refusal for an OLE file, which is a password-protected Office file or one from before 2007. */
function oleRefusal(bytes: Uint8Array): Refusal {
  const encrypted = Buffer.from('EncryptedPackage', 'utf16le')
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(encrypted))
    return new Refusal('file_encrypted')
  return new Refusal('unsupported_file', 'This is an older Office format; save it as .docx, .xlsx or .pptx.')
}

/** Maximum share of unusual control characters in a text. */
const CONTROLS_MAX = 0.001
const FIRST_PRINTED = 0x20
/** Control characters that occur in texts: tab to carriage return, and the escape character of terminal colors. */
const TEXT_CONTROLS = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b])

/** Returns true if bytes are plain text in some charset and not a document format that is written as text. */
export function isPlain(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES)).toString('latin1')
  return isText(bytes) && formatByMagic(head) === undefined && !HTML.test(head)
}

function isText(bytes: Uint8Array): boolean {
  if (markedCharset(bytes)) return true
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  const controls = sample.reduce((sum, byte) => (byte < FIRST_PRINTED && !TEXT_CONTROLS.has(byte) ? sum + 1 : sum), 0)
  return controls <= sample.length * CONTROLS_MAX
}

const SAMPLE_BYTES = 64 * 1024
const HTML = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]{0,2000}?-->\s*)?<(?:!doctype html|html|head|body)\b/i
const MAIL_FIELDS = /^(?:from|message-id|received|mime-version|return-path|delivered-to):/im
const HEADER_LINE = /^[A-Za-z][\w-]*:[^\n]*\n/

function formatOfText(text: string, name: string, type: string | undefined): Format {
  const head = text.slice(0, HEAD_BYTES)
  if (HTML.test(head)) return 'html'
  if (/^\s*BEGIN:VCALENDAR\b/i.test(head)) return 'calendar'
  if (/^\s*BEGIN:VCARD\b/i.test(head)) return 'contacts'
  if (isCaptions(head)) return 'captions'
  const declared = declaredFormat(name, type)
  if (/^\s*[[{]/.test(head)) {
    const json = formatOfJson(text, declared)
    if (json) return json
  }
  if (/^From \S.*\d/.test(head)) return 'mailbox'
  if (declared !== 'markdown' && HEADER_LINE.test(head) && MAIL_FIELDS.test(head.split('\n\n', 1)[0]!)) return 'mail'
  return declared && declared !== 'mail' ? declared : 'text'
}

/** Returns the format by the media type, otherwise by the file name. */
function declaredFormat(name: string, type: string | undefined): Format | undefined {
  const ending = /\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  const isCode = CODE.has(ending) || /^(?:Dockerfile|Makefile)$/.test(name.split('/').at(-1)!)
  return BY_TYPE[type ?? ''] ?? BY_ENDING[ending] ?? (isCode ? 'code' : undefined)
}

/** Returns true if the first bytes, the media type or the name show that a file has a format other than JSON. */
export function hasKnownFormat(head: string, name: string, type: string | undefined): boolean {
  return formatByMagic(head) !== undefined || declaredFormat(name, type) !== undefined
}

function formatOfJson(text: string, declared: Format | undefined): Format | undefined {
  const value = parseJson(text)
  if (value !== undefined) return isNotebook(value) ? 'notebook' : 'json'
  if (declared) return undefined
  const [first = '', second = ''] = text.trimStart().split('\n', 2)
  return parseJson(first) !== undefined && parseJson(second) !== undefined ? 'lines' : undefined
}

function isNotebook(value: unknown): boolean {
  const { cells, nbformat } = (value ?? {}) as { cells?: unknown; nbformat?: unknown }
  return Array.isArray(cells) && typeof nbformat === 'number'
}
