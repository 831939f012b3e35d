import { posix } from 'node:path'
import { parseHTML } from 'linkedom'
import { type DocumentFile, type DocumentItem, Refusal } from '../document.ts'
import { propertiesOf } from '../office/package.ts'
import { partsOf, type Unit } from '../parts.ts'
import { attribute, readXml } from '../xml.ts'
import type { ZipMembers } from '../zip-members.ts'
import { markdownOf, type Page } from './dom-markdown.ts'

/** The chapters of a book in the order in which they are read. */
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
  const order: string[] = []
  await readXml(zip.chunks(root), {
    open: (name, attributes) => {
      if (name === 'item') parts.set(attribute(attributes, 'id') ?? '', attribute(attributes, 'href') ?? '')
      else if (name === 'itemref') order.push(attribute(attributes, 'idref') ?? '')
    },
  })
  return order.flatMap((id) => {
    const href = parts.get(id)
    return href ? [posix.join(posix.dirname(root), decodeURI(href))] : []
  })
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
