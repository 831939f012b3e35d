import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server'
import { Fault } from '../base/fault.ts'
import { explain, recordCall } from './run-tool.ts'
import { fetchOne } from './tools/fetch.ts'
import type { Using } from './tools/tool.ts'

const ADDRESS = /^cairn:\/\/(record|entity)\/((?:rec|ent)_[0-9a-v]{26})$/
const TYPE = 'application/json'

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
  const [, noun, id = ''] = ADDRESS.exec(uri) ?? []
  if (!noun || id.startsWith('rec_') !== (noun === 'record')) throw new ResourceNotFoundError(uri)
  await recordCall(using, fetchOne.name)
  try {
    return { contents: [{ uri, mimeType: TYPE, text: await fetchOne.run(using, { id }) }] }
  } catch (cause) {
    if (cause instanceof Fault && cause.code === 'not_found') throw new ResourceNotFoundError(uri)
    throw new ProtocolError(ProtocolErrorCode.InternalError, explain(using, 'resource', cause))
  }
}
