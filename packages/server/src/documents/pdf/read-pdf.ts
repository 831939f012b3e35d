import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist'
import { type DocumentFile, type DocumentItem, partsOf, Refusal, type Unit } from '../document.ts'
import { type Line, linesOf, type Run } from './page-lines.ts'
import { type DrawingCodes, type Rule, rulesOf } from './page-rules.ts'
import { blocksOf } from './page-text.ts'
import { propertiesOfPdf } from './pdf-properties.ts'
import { rejectIfStalled } from './reject-if-stalled.ts'
import { ruledTables } from './ruled-tables.ts'

/** Number of pages from which the font size of the body and the repeated lines are determined. */
const SCANNED_PAGES = 12
/**
 * Minimum number of these pages on which a margin line must repeat to count as a header or footer. The next constant is
 * the minimum share.
 */
const REPEATED_MIN = 3
const REPEATED_SHARE_MIN = 0.5
/** Height of a margin as a share of the page's height. */
const MARGIN = 0.1

interface PdfPage {
  number: number
  /** Lower and upper edges of the page. */
  low: number
  high: number
  lines: Line[]
}

/**
 * Reads the pages of a PDF. Page numbers become locators. Lines that are repeated in the margins of most pages are left
 * out. Throws `no_text`.
 */
export async function* readPdf({ bytes }: DocumentFile): AsyncGenerator<DocumentItem> {
  const opened = await openPdf(Uint8Array.from(bytes))
  const { pdf } = opened
  try {
    const pages = pagesOf(opened)
    const first: PdfPage[] = []
    while (first.length < SCANNED_PAGES) {
      const next = await pages.next()
      if (next.done) break
      first.push(next.value)
    }
    const bodySize = bodySizeOf(first)
    const repeated = repeatedIn(first)
    let unitCount = 0
    const units = async function* (): AsyncGenerator<Unit> {
      const rest = async function* () {
        yield* first
        yield* pages
      }
      let table: string | undefined
      for await (const { number, lines } of rest()) {
        const own = lines.filter((line) => !repeated.has(keyOf(line)))
        const blocks = withRepeatedHeader(blocksOf(own, bodySize), table)
        table = blocks.at(-1)
        const text = blocks.join('\n\n')
        if (text === '') continue
        unitCount += 1
        yield { text, locator: `p. ${number}` }
      }
    }
    yield {
      kind: 'head',
      format: 'pdf',
      within: [],
      ...(await propertiesOfPdf(pdf)),
      properties: { pages: pdf.numPages },
    }
    yield* partsOf(units())
    if (unitCount === 0) throw new Refusal('no_text')
  } finally {
    await pdf.destroy()
  }
}

/** Maximum number of repeated or missing pages. After that, the remaining pages are not read. */
const REPEATED_PAGES_MAX = 200

/** Returns the blocks of a page. A table that continues from the previous page gets the header of that page. */
function withRepeatedHeader(blocks: readonly string[], last: string | undefined): readonly string[] {
  const [first = '', ...others] = blocks
  if (!last?.startsWith('| ') || !first.startsWith('| ')) return blocks
  const [header = '', rule] = last.split('\n')
  const [head = '', ownRule, ...rows] = first.split('\n')
  const isNamed = (row: string) => !/\d/.test(row)
  const hasOwn = head === header || rule !== ownRule || (isNamed(head) && !rows.every(isNamed))
  return hasOwn ? blocks : [[header, rule, head, ...rows].join('\n'), ...others]
}

/** Reads the pages of a PDF. Each page is read only once, even if it is listed several times. */
async function* pagesOf({ pdf, codes }: OpenPdf): AsyncGenerator<PdfPage> {
  const seen = new Set<string>()
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await rejectIfStalled(pdf.getPage(number)).catch(() => undefined)
    const { num, gen } = (page as { ref?: { num: number; gen: number } } | undefined)?.ref ?? {}
    const key = page ? `${num} ${gen}` : 'none'
    const isNew = (page && num === undefined) || !seen.has(key)
    if (!isNew && number - seen.size > REPEATED_PAGES_MAX) return
    if (!isNew) continue
    seen.add(key)
    const { view = [0, 0, 0, 0] } = page ?? {}
    const runs = page ? await runsOf(page) : []
    const rules = page && runs.length > 0 ? await rulesOn(page, codes) : []
    yield { number, ...(page ? uprightLines(runs, view, rules) : { low: 0, high: 0, lines: [] }) }
    page?.cleanup()
  }
}

/** A run that is rotated by a number of quarter turns. */
type TurnedRun = Run & { quarters: number }

/** Returns the lines of a page in its main text direction, and then the lines in other directions. */
function uprightLines(
  runs: readonly TurnedRun[],
  [left = 0, low = 0, right = 0, high = 0]: number[],
  rules: readonly Rule[],
) {
  const groups = QUARTERS.map((quarters) => {
    const own = runs.filter((run) => run.quarters === quarters)
    return { quarters, own, signs: own.reduce((sum, { text }) => sum + text.trim().length, 0) }
  })
  groups.sort((one, other) => other.signs - one.signs)
  const upright = ({ quarters, own }: (typeof groups)[number]) => {
    const { tables, rest } = ruledTables(
      own.map((run) => ({ ...run, ...turned(run, quarters) })),
      quarters === 0 ? rules : [],
    )
    return linesOf(rest, tables)
  }
  const corners = [turned({ x: left, y: low }, groups[0]!.quarters), turned({ x: right, y: high }, groups[0]!.quarters)]
  const edges = corners.map(({ y }) => y)
  return { low: Math.min(...edges), high: Math.max(...edges), lines: groups.flatMap(upright) }
}

const QUARTERS = [0, 1, 2, 3]

/** Rotates a point back by a number of quarter turns. */
function turned({ x, y }: { x: number; y: number }, quarters: number): { x: number; y: number } {
  if (quarters === 1) return { x: y, y: -x }
  if (quarters === 2) return { x: -x, y: -y }
  return quarters === 3 ? { x: -y, y: x } : { x, y }
}

/** Returns the rules of a page, or none if its drawing operators cannot be read. */
async function rulesOn(page: PDFPageProxy, codes: DrawingCodes): Promise<Rule[]> {
  try {
    return rulesOf(await rejectIfStalled(page.getOperatorList()), codes)
  } catch {
    return []
  }
}

interface Annotation {
  url?: string
  rect?: number[]
  fieldType?: string
  fieldValue?: unknown
  hidden?: boolean
}

interface TextItem {
  str: string
  transform: number[]
  width: number
  height: number
}

/** Returns the runs of a page, with form fields and the URLs of links. Returns none for an unreadable page. */
async function runsOf(page: PDFPageProxy): Promise<TurnedRun[]> {
  try {
    const { items } = await rejectIfStalled(page.getTextContent())
    const annotations = (await rejectIfStalled(page.getAnnotations()).catch(() => [])) as Annotation[]
    const links = linksIn(annotations)
    const runs = items.flatMap((item) => {
      const { str, transform = [], width, height } = item as TextItem
      if (str === undefined || str === '') return []
      const [a = 0, b = 0, , , x = 0, y = 0] = transform
      const quarters = Math.abs(b) > Math.abs(a) ? (b > 0 ? 1 : 3) : a < 0 ? 2 : 0
      const middle = { x: x + width / 2, y: y + height / 3 }
      const url = links.find(({ rect: [left = 0, low = 0, right = 0, high = 0] }) => {
        return middle.x >= left && middle.x <= right && middle.y >= low && middle.y <= high
      })?.url
      const size = height || Math.max(Math.abs(a), Math.abs(b))
      return [{ text: str, x, y, width, size, url: str.trim() === '' ? undefined : url, quarters }]
    })
    return [...runs, ...annotations.flatMap(fieldRuns)]
  } catch {
    return []
  }
}

/** Maximum font size that is assumed for a form field, in points. */
const FIELD_SIZE = 10

/** Returns the value of a text or choice field as a run at the field's position. */
function fieldRuns({ fieldType, fieldValue, rect, hidden }: Annotation): TurnedRun[] {
  if ((fieldType !== 'Tx' && fieldType !== 'Ch') || hidden || !rect) return []
  const text = [fieldValue]
    .flat()
    .filter((value): value is string => typeof value === 'string')
    .join(', ')
    .trim()
  if (text === '') return []
  const [left = 0, low = 0, right = 0, high = 0] = rect
  const size = Math.min(FIELD_SIZE, high - low)
  return [{ text, x: left, y: (low + high - size) / 2, width: right - left, size, url: undefined, quarters: 0 }]
}

function linksIn(annotations: readonly Annotation[]): { url: string; rect: number[] }[] {
  return annotations.flatMap(({ url, rect }) => {
    return url && rect && /^(?:https?|mailto):/.test(url) && !/[\s()]/.test(url) ? [{ url, rect }] : []
  })
}

/** Returns the font size that most characters have. */
function bodySizeOf(pages: readonly PdfPage[]): number {
  const charCounts = new Map<number, number>()
  for (const { segments } of pages.flatMap(({ lines }) => lines)) {
    for (const { text, size } of segments) {
      const rounded = Math.round(size * 2) / 2
      charCounts.set(rounded, (charCounts.get(rounded) ?? 0) + text.length)
    }
  }
  return [...charCounts].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? 1
}

/** Returns the margin lines that most pages share. Numbers in them are ignored. */
function repeatedIn(pages: readonly PdfPage[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const { lines, low, high } of pages) {
    const margin = MARGIN * (high - low)
    const edges = new Set(lines.filter(({ y }) => y < low + margin || y > high - margin).map(keyOf))
    for (const key of edges) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const least = Math.max(REPEATED_MIN, pages.length * REPEATED_SHARE_MIN)
  return new Set([...counts].flatMap(([key, count]) => (count >= least ? [key] : [])))
}

function keyOf({ segments, y }: Line): string {
  const text = segments.map((segment) => segment.text).join(' ')
  return `${Math.round(y / 4)}:${text.replace(/\d+/g, '0')}`
}

/** An open PDF and the codes of its drawing operators. */
interface OpenPdf {
  readonly pdf: PDFDocumentProxy
  readonly codes: DrawingCodes
}

const LIBRARY = 'pdfjs-dist/legacy/build/pdf.mjs'
const ERRORS_ONLY = 0

/**
 * Opens a PDF. Throws `file_damaged`, for example for a truncated file, and `file_encrypted` for one that needs a
 * password.
 */
async function openPdf(bytes: Uint8Array): Promise<OpenPdf> {
  assertWhole(bytes)
  // Rendering is not needed. Without these stubs, the library prints warnings that they are missing.
  const globals = globalThis as Record<string, unknown>
  for (const name of ['DOMMatrix', 'ImageData', 'Path2D']) globals[name] ??= class {}
  const { getDocument, OPS, VerbosityLevel } = (await import(LIBRARY)) as typeof import('pdfjs-dist')
  const folder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'))
  const task = getDocument({
    data: bytes,
    cMapUrl: `${join(folder, 'cmaps')}/`,
    cMapPacked: true,
    standardFontDataUrl: `${join(folder, 'standard_fonts')}/`,
    wasmUrl: `${join(folder, 'wasm')}/`,
    disableFontFace: true,
    useSystemFonts: false,
    isEvalSupported: false,
    enableXfa: false,
    stopAtErrors: false,
    // Images are not needed, and decoding them takes memory.
    maxImageSize: 0,
    verbosity: VerbosityLevel?.ERRORS ?? ERRORS_ONLY,
  })
  try {
    return { pdf: await rejectIfStalled(task.promise), codes: OPS }
  } catch (cause) {
    const isLocked = (cause as Error).name === 'PasswordException'
    throw new Refusal(isLocked ? 'file_encrypted' : 'file_damaged')
  }
}

/** Throws `file_damaged` for a truncated file. Such a file has no end marker, or is shorter than its header says. */
function assertWhole(bytes: Uint8Array): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const head = buffer.toString('latin1', 0, HEAD_BYTES)
  const declaredLength = head.includes('/Linearized') ? Number(/\/L\s+(\d{1,12})/.exec(head)?.[1] ?? 0) : 0
  if (buffer.lastIndexOf('%%EOF') < 0 || declaredLength > buffer.length) throw new Refusal('file_damaged')
}

const HEAD_BYTES = 2_048
