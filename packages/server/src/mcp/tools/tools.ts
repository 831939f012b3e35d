import { ask } from './ask.ts'
import { fetchOne } from './fetch.ts'
import { findEntity } from './find-entity.ts'
import { forget } from './forget.ts'
import { listSandboxes } from './list-sandboxes.ts'
import { callTool, findTool } from './live.ts'
import { remember } from './remember.ts'
import { search } from './search.ts'
import { sources } from './sources.ts'
import type { Tool, Using } from './tool.ts'

const TOOLS: readonly Tool[] = [ask, search, fetchOne, findEntity, remember, forget, sources]

/** The tools that the caller is offered at this door: what its role, its token or the door refuses is not there. */
export function toolsFor({ reach, door }: Using): Tool[] {
  const all = [...TOOLS, ...(door.isPrimary ? [listSandboxes] : []), ...(door.isLive ? [findTool, callTool] : [])]
  return all.filter(({ role, annotations }) => reach.allows(role) && (annotations.readOnlyHint || !door.isReading))
}
