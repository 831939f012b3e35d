import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist'
import { type DocumentFile, type DocumentItem, Refusal } from '../document.ts'
import { partsOf, type Unit } from '../parts.ts'
import { openPdf, orStalled } from './open-pdf.ts'
import { type Line, linesOf, type Run } from './page-lines.ts'
import { blocksOf } from './page-text.ts'

/** Pages by which the size of running text, and what is on every page, is told. */
const LOOKED_AT = 12
/** A line in the margins of so many of these pages is none of their text. */
const REPEATED_MIN = 3
const REPEATED_SHARE_MIN = 0.5
/** Parts of a page's height that are its margins. */
const MARGIN = 0.1

interface Page {
  number: number
  /** Its lower and upper edge. */
  low: number
  high: number
  lines: Line[]
}

/** The pages of a PDF, each a place; what stands at the edge of most pages alike is left out. Throws `no_text`. */
export async function* readPdf({ bytes }: DocumentFile): AsyncGenerator<DocumentItem> {
  const pdf = await openPdf(Uint8Array.from(bytes))
  try {
    const pages = pagesOf(pdf)
    const first: Page[] = []
    while (first.length < Math.min(LOOKED_AT, pdf.numPages)) first.push((await pages.next()).value as Page)
    const bodySize = usualSize(first)
    const repeated = repeatedIn(first)
    let told = 0
    const units = async function* (): AsyncGenerator<Unit> {
      const rest = async function* () {
        yield* first
        yield* pages
      }
      for await (const { number, lines } of rest()) {
        const text = blocksOf(
          lines.filter((line) => !repeated.has(keyOf(line))),
          bodySize,
        ).join('\n\n')
        if (text === '') continue
        told += 1
        yield { text, locator: `p. ${number}` }
      }
    }
    yield { kind: 'head', format: 'pdf', within: [], ...(await toldBy(pdf)), properties: { pages: pdf.numPages } }
    yield* partsOf(units())
    if (told === 0) throw new Refusal('no_text')
  } finally {
    await pdf.destroy()
  }
}

async function* pagesOf(pdf: PDFDocumentProxy): AsyncGenerator<Page> {
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await orStalled(pdf.getPage(number)).catch(() => undefined)
    const [, low = 0, , high = 0] = page?.view ?? []
    yield { number, low, high, lines: page ? linesOf(await runsOf(page)) : [] }
    page?.cleanup()
  }
}

interface TextItem {
  str: string
  transform: number[]
  width: number
  height: number
}

/** The runs of a page, those that are a link with where it leads; none for a page that cannot be read. */
async function runsOf(page: PDFPageProxy): Promise<Run[]> {
  try {
    const { items } = await orStalled(page.getTextContent())
    const links = await linksOf(page)
    return items.flatMap((item) => {
      const { str, transform = [], width, height } = item as TextItem
      if (str === undefined || str === '') return []
      const [a = 0, b = 0, , , x = 0, y = 0] = transform
      // Text that runs up or down a page is a mark at its edge.
      if (Math.abs(b) > Math.abs(a)) return []
      const middle = { x: x + width / 2, y: y + height / 3 }
      const url = links.find(({ rect: [left = 0, low = 0, right = 0, high = 0] }) => {
        return middle.x >= left && middle.x <= right && middle.y >= low && middle.y <= high
      })?.url
      return [{ text: str, x, y, width, size: height || Math.abs(a), url: str.trim() === '' ? undefined : url }]
    })
  } catch {
    return []
  }
}

async function linksOf(page: PDFPageProxy): Promise<{ url: string; rect: number[] }[]> {
  const annotations = (await orStalled(page.getAnnotations())) as { url?: string; rect?: number[] }[]
  return annotations.flatMap(({ url, rect }) => {
    return url && rect && /^(?:https?|mailto):/.test(url) && !/[\s()]/.test(url) ? [{ url, rect }] : []
  })
}

/** The size in which most signs are. */
function usualSize(pages: readonly Page[]): number {
  const signs = new Map<number, number>()
  for (const { segments } of pages.flatMap(({ lines }) => lines)) {
    for (const { text, size } of segments) {
      const rounded = Math.round(size * 2) / 2
      signs.set(rounded, (signs.get(rounded) ?? 0) + text.length)
    }
  }
  return [...signs].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? 1
}

/** Lines in the margins of pages that most pages have, whatever number is in them. */
function repeatedIn(pages: readonly Page[]): ReadonlySet<string> {
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

const TIME = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-])(\d\d)'?(\d\d)?'?)?/
/** What programs put for a title that nobody gave. */
const NO_TITLE = /^(?:untitled|microsoft word - .*|.*\.(?:docx?|pdf|tex|dvi|indd|xlsx?|pptx?|odt|rtf))$/i

/** What the file tells of itself. */
async function toldBy(pdf: PDFDocumentProxy) {
  const { info } = await orStalled(pdf.getMetadata()).catch(() => ({ info: {} }))
  const { Title, Author, CreationDate } = info as Record<string, unknown>
  const title =
    typeof Title === 'string' && Title.trim() !== '' && !NO_TITLE.test(Title.trim()) ? Title.trim() : undefined
  const author = typeof Author === 'string' ? Author.trim() : ''
  return { title, authors: author ? [{ name: author }] : [], at: timeOf(CreationDate) }
}

function timeOf(told: unknown): string | undefined {
  const [
    ,
    year,
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    sign,
    zoneHour = '00',
    zoneMinute = '00',
  ] = TIME.exec(String(told)) ?? []
  if (!year) return undefined
  const at = new Date(
    `${year}-${month}-${day}T${hour}:${minute}:${second}${sign ? `${sign}${zoneHour}:${zoneMinute}` : 'Z'}`,
  )
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
