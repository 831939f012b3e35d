import { setImmediate } from 'node:timers/promises'
import MiniSearch from 'minisearch'
import { PAGES } from './pages.ts'
import type { RenderedPage } from './render-page.ts'

/** Number of sections that are indexed before other requests get their turn. */
const CHUNK_SECTIONS = 10
/** Fields of an indexed section. `guide.js` opens the index with the same ones. */
const FIELDS = ['heading', 'path', 'text']

/** Returns the search index of all pages as JSON. Between pages, other requests can run. */
export async function buildSearchIndex(renderedAs: (page: string) => RenderedPage): Promise<string> {
  const index = new MiniSearch({ fields: FIELDS, storeFields: ['heading', 'path'] })
  for (const { page } of PAGES) {
    const [title, ...sections] = renderedAs(page).sections
    if (!title) continue
    const own = { id: `/guide/${page}`, heading: title.heading, path: '', text: title.text }
    const others = sections.map(({ id, heading, text }) => {
      return { id: `/guide/${page}#${id}`, heading, path: title.heading, text }
    })
    await index.addAllAsync([own, ...others], { chunkSize: CHUNK_SECTIONS })
    await setImmediate()
  }
  return JSON.stringify(index)
}
