import { type MappedRecord, toRecord } from '../draft.ts'
import { list, moment, pick, text } from '../pick.ts'
import type { McpSession } from './mcp-session.ts'

/** Something that a server can be asked to read out. */
interface McpResource {
  readonly uri: string
  readonly listed: unknown
}

const PAGES_MAX = 64
const RESOURCES_MAX = 5_000
const WEB = /^https?:\/\//

/** The resources of a server, the first of each address, and whether these are all. */
export async function listResources(session: McpSession): Promise<{ resources: McpResource[]; isComplete: boolean }> {
  const found = new Map<string, McpResource>()
  let cursor: string | undefined
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const answer = await session.ask('resources/list', cursor === undefined ? {} : { cursor })
    for (const listed of list(answer, 'resources')) {
      const uri = text(listed, 'uri')
      if (uri && !found.has(uri)) found.set(uri, { uri, listed })
    }
    cursor = text(answer, 'nextCursor')
    if (found.size >= RESOURCES_MAX) break
    if (cursor === undefined) return { resources: [...found.values()], isComplete: true }
  }
  return { resources: [...found.values()].slice(0, RESOURCES_MAX), isComplete: false }
}

/** Under which external id a resource is kept. */
function resourceId(uri: string): string {
  return `resource/${uri}`
}

/** A resource as it reads now: its texts; of one that is no text, what is said about it. */
export async function readResource(session: McpSession, { uri, listed }: McpResource): Promise<MappedRecord> {
  const contents = list(await session.ask('resources/read', { uri }), 'contents')
  const texts = contents.flatMap((content) => text(content, 'text') ?? [])
  const changed = moment(listed, 'annotations', 'lastModified')
  return toRecord({
    externalId: resourceId(uri),
    type: 'document',
    title: text(listed, 'title') ?? text(listed, 'name') ?? uri,
    text: texts.length > 0 ? texts.join('\n\n') : text(listed, 'description'),
    url: WEB.test(uri) ? uri : undefined,
    occurredAt: changed,
    properties: {
      uri,
      mime_type: text(pick(contents, 0), 'mimeType') ?? text(listed, 'mimeType'),
      description: texts.length > 0 ? text(listed, 'description') : undefined,
    },
  })
}
