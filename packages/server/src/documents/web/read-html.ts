import { posix } from 'node:path'
import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import { decodeText } from '../decode-text.ts'
import { type DocumentFile, type DocumentItem, type NamedPerson, partsOf, Refusal, type Unit } from '../document.ts'
import { attribute, readXml } from '../xml.ts'
import { propertiesOf, type ZipMembers } from '../zip-members.ts'
import { markdownOf, type Page, type PageNode } from './dom-markdown.ts'

/** Maximum number of elements of a page in which an article is searched. A page with more is read completely. */
const ELEMENTS_MAX = 30_000
/** Minimum share of a page's text, and minimum characters, for an article to count as the page's content. */
const ARTICLE_SHARE_MIN = 0.3
const ARTICLE_CHARS_MIN = 200

/** Reads the article of a page and its metadata. If there is no article, reads everything except the navigation. */
export async function* readHtml({ bytes }: DocumentFile): AsyncGenerator<DocumentItem> {
  const html = decodePage(bytes)
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`)
  const page = document as unknown as Page
  const meta = metaOf(page)
  const blocks = page.body ? markdownOf(page.body) : []
  const article = articleOf(page, blocks)
  const title = meta.title ?? article?.title
  const shown = article?.blocks ?? blocks
  const heading = title && !shown.some((block) => /^# /.test(block)) ? [`# ${title}`] : []
  yield { kind: 'head', format: 'html', within: [], ...meta, title }
  yield* partsOf([...heading, ...shown].map((text) => ({ text })))
}

/** Returns the text of a page. Uses the declared charset only if the bytes do not determine one. */
function decodePage(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES)).toString('latin1')
  const declared = /<meta[^>]{1,200}charset\s*=\s*["']?([\w-]{1,40})/i.exec(head)?.[1]
  return decodeText(bytes, declared)
}

const HEAD_BYTES = 4_096

interface Article {
  title: string | undefined
  blocks: string[]
}

function articleOf(page: Page, all: readonly string[]): Article | undefined {
  if (page.querySelectorAll('*').length > ELEMENTS_MAX) return undefined
  try {
    const found = new Readability(page as never, {
      maxElemsToParse: ELEMENTS_MAX,
      serializer: (node) => node as never,
    }).parse()
    const content = found?.content as unknown as PageNode | undefined
    if (!content) return undefined
    const blocks = markdownOf(content)
    const chars = blocks.join('').length
    const isWhole = chars >= ARTICLE_CHARS_MIN && chars >= ARTICLE_SHARE_MIN * all.join('').length
    return isWhole ? { title: found?.title ?? undefined, blocks } : undefined
  } catch {
    return undefined
  }
}

function metaOf(page: Page) {
  const metaContent = (...names: string[]) => {
    for (const name of names) {
      const found = page
        .querySelector(`meta[property="${name}"], meta[name="${name}"]`)
        ?.getAttribute('content')
        ?.trim()
      if (found) return found
    }
    return undefined
  }
  const author = metaContent('author', 'article:author', 'dc.creator', 'DC.creator', 'parsely-author')
  const name = author && !/^https?:/.test(author) ? author : undefined
  const authors: NamedPerson[] = name ? [{ name }] : []
  const title = metaContent('og:title') ?? page.querySelector('title')?.textContent?.trim()
  const at =
    metaContent('article:published_time', 'datePublished', 'date', 'dc.date', 'DC.date') ??
    page.querySelector('time[datetime]')?.getAttribute('datetime') ??
    undefined
  const url = page.querySelector('link[rel="canonical"]')?.getAttribute('href') ?? metaContent('og:url')
  return { title: title || undefined, authors, at, url: url && /^https?:/.test(url) ? url : undefined }
}

/** Reads the chapters of an EPUB in reading order. */
export async function* readEpub({ zip }: { file: DocumentFile; zip: ZipMembers }): AsyncGenerator<DocumentItem> {
  let root = ''
  await readXml(zip.chunks('META-INF/container.xml'), {
    open: (name, attributes) => {
      if (name === 'rootfile') root ||= attribute(attributes, 'full-path') ?? ''
    },
  })
  if (!zip.has(root)) throw new Refusal('file_damaged')
  yield { kind: 'head', format: 'epub', within: [], ...(await propertiesOf(zip, root)) }
  yield* partsOf(chaptersOf(zip, await spineOf(zip, root)))
}

async function spineOf(zip: ZipMembers, root: string): Promise<string[]> {
  const parts = new Map<string, string>()
  // Each chapter is read only once, even if it is listed several times.
  const order = new Set<string>()
  await readXml(zip.chunks(root), {
    open: (name, attributes) => {
      if (name === 'item') parts.set(attribute(attributes, 'id') ?? '', attribute(attributes, 'href') ?? '')
      else if (name === 'itemref') order.add(attribute(attributes, 'idref') ?? '')
    },
  })
  const chapters = [...order].flatMap((id) => {
    const href = parts.get(id)
    return href ? [posix.join(posix.dirname(root), decodeURI(href))] : []
  })
  return [...new Set(chapters)]
}

async function* chaptersOf(zip: ZipMembers, chapters: readonly string[]): AsyncGenerator<Unit> {
  for (const chapter of chapters) {
    const { document } = parseHTML((await zip.bytes(chapter)).toString('utf8'))
    const { body, documentElement } = document as unknown as Page
    const root = body ?? documentElement
    const text = root ? markdownOf(root).join('\n\n') : ''
    if (text !== '') yield { text }
  }
}
