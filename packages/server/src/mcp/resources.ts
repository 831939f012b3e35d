import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server'
import { Fault } from '../base/fault.ts'
import { writeOverview } from './overview.ts'
import { explain, recordCall } from './run-tool.ts'
import { fetchOne } from './tools/fetch.ts'
import type { Using } from './tools/tool.ts'

const ADDRESS = /^cairn:\/\/(record|entity)\/((?:rec|ent)_[0-9a-v]{26})$/
const TYPE = 'application/json'

const OVERVIEW = 'cairn://overview'

/** What can be read without an id. */
export const RESOURCES = [
  {
    uri: OVERVIEW,
    name: 'overview',
    title: 'Overview',
    description: 'What is in here: kinds, sources, people, topics.',
    mimeType: 'text/plain',
  },
]

/** Where records and entities are, by their ids. */
export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: 'cairn://record/{id}',
    name: 'record',
    title: 'Record',
    description: 'As `fetch` gives it.',
    mimeType: TYPE,
  },
  {
    uriTemplate: 'cairn://entity/{id}',
    name: 'entity',
    title: 'Entity',
    description: 'As `fetch` gives it.',
    mimeType: TYPE,
  },
]

/** What a resource holds. Throws the protocol's errors. */
export async function readResource(using: Using, uri: string): Promise<ReadResourceResult> {
  if (uri === OVERVIEW) {
    const text = await read(using, uri, 'overview', () => writeOverview(using))
    return { contents: [{ uri, mimeType: 'text/plain', text }] }
  }
  const [, noun, id = ''] = ADDRESS.exec(uri) ?? []
  if (!noun || id.startsWith('rec_') !== (noun === 'record')) throw new ResourceNotFoundError(uri)
  const text = await read(using, uri, fetchOne.name, async () => (await fetchOne.run(using, { id })).text)
  return { contents: [{ uri, mimeType: TYPE, text }] }
}

async function read(using: Using, uri: string, name: string, write: () => Promise<string>): Promise<string> {
  await recordCall(using, name)
  try {
    return await write()
  } catch (cause) {
    if (cause instanceof Fault && cause.code === 'not_found') throw new ResourceNotFoundError(uri)
    throw new ProtocolError(ProtocolErrorCode.InternalError, explain(using, 'resource', cause))
  }
}
