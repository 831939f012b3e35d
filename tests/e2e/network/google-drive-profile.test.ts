import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FindProfile } from '../../../packages/server/src/sources/connectors/mcp/profile-for.ts'
import { profileAt } from '../../harness/github-tool-server.ts'
import { type McpSources, openMcpSources } from '../../harness/mcp-source.ts'
import { openSdkToolServer, type SdkToolServer, toolError } from '../../harness/sdk-tool-server.ts'
import { onEachApp } from '../../harness/test-app.ts'

const TEXT = { type: 'string' }
const PAGE_SIZE = 4
const DOCUMENT = 'application/vnd.google-apps.document'

let find: FindProfile = () => undefined

/** A file, with the fields of the documented File object. */
interface HostedFile {
  id: string
  title: string
  mimeType: string
  modifiedTime: string
  content: string
}

onEachApp(
  (app) => {
    let server: SdkToolServer
    let sources: McpSources
    let files: HostedFile[]
    beforeEach(async () => {
      files = []
      server = await openSdkToolServer()
      find = profileAt(server, 'https://drivemcp.googleapis.com/mcp/v1')
      sources = await openMcpSources(app())
      server.tools = {
        search_files: {
          arguments: {
            query: TEXT,
            pageSize: { type: 'integer' },
            pageToken: TEXT,
            excludeContentSnippets: { type: 'boolean' },
          },
          call: ({ query, pageToken = '0' }) => {
            const [, since = ''] = /modifiedTime > '([^']+)'/.exec(String(query)) ?? []
            const found = files.filter((file) => file.modifiedTime > since)
            const to = Number(pageToken) + PAGE_SIZE
            const shown = found.slice(Number(pageToken), to).map(({ content: _, ...file }) => ({
              ...file,
              owner: 'mei@acme.example',
              viewUrl: `https://drive.google.com/file/d/${file.id}/view`,
              createdTime: '2026-01-01T00:00:00Z',
            }))
            const structuredContent = {
              ...(shown.length > 0 && { files: shown }),
              ...(to < found.length && { nextPageToken: String(to) }),
            }
            return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
          },
        },
        read_file_content: {
          arguments: { fileId: TEXT },
          required: ['fileId'],
          call: ({ fileId }) => {
            const file = files.find(({ id }) => id === fileId)
            if (!file || file.content === '') return toolError('The file cannot be read.')
            return { content: [], structuredContent: { fileContent: file.content } }
          },
        },
      }
    })
    afterEach(() => server.close())

    const ago = (minutes: number) => new Date(app().clock.now().getTime() - minutes * 60_000).toISOString()
    const fileOf = (n: number, more: Partial<HostedFile> = {}): HostedFile => ({
      id: `file-${n}`,
      title: `File ${n}`,
      mimeType: DOCUMENT,
      modifiedTime: ago(10_000 - n),
      content: `Content of ${n}.`,
      ...more,
    })
    const read = () => server.calls.filter(({ tool }) => tool === 'read_file_content').map(({ given }) => given.fileId)
    const texts = async () => [...(await sources.exported()).values()].map((one) => one.text ?? null)
    const connected = async () => (await sources.register({ base_url: server.url })).body.data_source_id

    describe('a source with the profile of Google Drive', () => {
      it('imports every file with its text, then only what has changed', async () => {
        files = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => fileOf(n))
        files.push(fileOf(10, { mimeType: 'text/markdown' }))
        const id = await connected()
        expect((await sources.pull(id)).status).toBe('completed')
        const records = await sources.exported()
        expect(records.get('file-7')).toMatchObject({
          title: 'File 7',
          text: 'Content of 7.',
          url: 'https://drive.google.com/file/d/file-7/view',
          properties: { mime_type: DOCUMENT },
        })
        expect([records.size, read().length]).toEqual([10, 9])
        server.calls.splice(0)
        files[2] = fileOf(3, { modifiedTime: ago(1), content: 'New content of 3.' })
        expect((await sources.pull(id)).result).toMatchObject({ received: 1, written: 1 })
        expect(server.calls[0]?.given.query).toMatch(/ and modifiedTime > '\d{4}-\d\d-\d\dT[\d:]+Z'$/)
        expect([read(), (await sources.exported()).get('file-3').text]).toEqual([['file-3'], 'New content of 3.'])
      })

      it('stores a file that cannot be read by its title, and keeps a text that it has', async () => {
        files = [1, 2, 3].map((n) => fileOf(n, n === 2 ? { content: '' } : {}))
        const id = await connected()
        expect((await sources.pull(id)).status).toBe('completed')
        expect(await texts()).toEqual(expect.arrayContaining(['Content of 1.', null, 'Content of 3.']))
        files[0] = fileOf(1, { modifiedTime: ago(1), content: '' })
        files[1] = fileOf(2, { modifiedTime: ago(1), content: 'Readable now.' })
        await sources.pull(id)
        expect((await texts()).sort()).toEqual(['Content of 1.', 'Content of 3.', 'Readable now.'])
      })

      it('stops when many texts in a row cannot be read, and reads them the next time', async () => {
        files = Array.from({ length: 12 }, (_, n) => fileOf(n))
        const content = server.tools.read_file_content!
        server.tools.read_file_content = { ...content, call: () => toolError('Quota exceeded.') }
        const id = await connected()
        expect((await sources.pull(id)).status).toBe('failed')
        expect(read().length).toBeLessThan(12)
        server.tools.read_file_content = content
        expect((await sources.pull(id)).status).toBe('completed')
        expect((await texts()).filter((text) => text === null)).toEqual([])
        expect(await texts()).toHaveLength(12)
      })

      it('deletes a file that two whole lists lack, but none after an answer of another shape', async () => {
        files = [1, 2, 3, 4, 5].map((n) => fileOf(n))
        const id = await connected()
        await sources.pull(id)
        app().clock.advance(8 * 24 * 60 * 60_000)
        const search = server.tools.search_files!
        const message = { message: 'Try again later.' }
        server.tools.search_files = { ...search, call: () => ({ content: [], structuredContent: message }) }
        for (const _ of [1, 2]) expect((await sources.pull(id)).status).toBe('failed')
        expect(await texts()).toHaveLength(5)
        server.tools.search_files = search
        files = []
        expect((await sources.pull(id)).result).toMatchObject({ removed: 0 })
        expect((await sources.pull(id)).result).toMatchObject({ removed: 5 })
        expect(await texts()).toEqual([])
      })
    })
  },
  { CAIRN_ALLOW_LOOPBACK: 'on' },
  { findProfile: (url) => find(url) },
)
