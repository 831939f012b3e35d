import { posix } from 'node:path'
import type { DocumentHead } from '../document.ts'
import { attribute, readXml } from '../xml.ts'
import type { ZipMembers } from '../zip-members.ts'

/** What a part of an office file refers to, by id: the name of another part, or an address. */
export type Relationships = ReadonlyMap<string, { target: string; type: string }>

/** What a part refers to. */
export async function relationshipsOf(zip: ZipMembers, part: string): Promise<Relationships> {
  const folder = posix.dirname(part)
  const found = new Map<string, { target: string; type: string }>()
  await readXml(zip.chunks(`${folder}/_rels/${posix.basename(part)}.rels`), {
    open: (name, attributes) => {
      if (name !== 'Relationship') return
      const target = attribute(attributes, 'Target') ?? ''
      const isOutside = attribute(attributes, 'TargetMode') === 'External'
      const path = target.startsWith('/') ? target.slice(1) : posix.join(folder, target)
      const type = attribute(attributes, 'Type')?.split('/').at(-1) ?? ''
      found.set(attribute(attributes, 'Id') ?? '', { target: isOutside ? target : path, type })
    },
  })
  return found
}

/** Title, author and time as the file's own properties tell them. */
export async function propertiesOf(
  zip: ZipMembers,
  part: string,
): Promise<Pick<DocumentHead, 'title' | 'authors' | 'at'>> {
  const told = new Map<string, string>()
  let text = ''
  await readXml(zip.chunks(part), {
    open: () => {
      text = ''
    },
    text: (more) => {
      text += more
    },
    close: (name) => {
      if (text.trim() !== '' && !told.has(name)) told.set(name, text.trim())
      text = ''
    },
  })
  const author = told.get('initial-creator') ?? told.get('creator')
  const at = told.get('creation-date') ?? told.get('created') ?? told.get('date') ?? told.get('modified')
  return { title: told.get('title'), ...(author && { authors: [{ name: author }] }), at }
}
