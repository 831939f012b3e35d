import { type Change, type ChangePage, Type as T } from '@cairnstore/contract'
import { isUnfinished } from '@cairnstore/engine/resolve'
import { readRecords } from '../../store/read-records.ts'
import { openSnapshot } from '../../store/read-snapshot.ts'
import { longestFit, oneLine } from '../size-limit.ts'
import { toPointer } from './record-pointer.ts'
import { outline, READS, type ToolContext, type ToolResult, tool } from './tool.ts'

const TOKENS_MAX = 3_000
/** Maximum number of changes in a result. If their text does not fit, the number is halved until it does. */
const CHANGES_MAX = 64
const NAME_CHARS_MAX = 120

/** Groups of a result, in display order. */
const GROUPS = ['New', 'Changed', 'Closed', 'Removed', 'Merged', 'New names'] as const
type ChangeGroup = (typeof GROUPS)[number]

export const changes = tool({
  name: 'changes',
  title: 'List changes',
  description: 'Lists what is new, changed, closed or removed.',
  role: 'viewer',
  annotations: READS,
  input: T.Object(
    {
      since: T.String({ description: 'A day, or next_since.' }),
      project_id: T.Optional(T.String()),
      types: T.Optional(T.Array(T.String())),
    },
    { additionalProperties: false },
  ),
  output: outline({ next_since: 'string', text: 'string' }),
  tokensMax: () => TOKENS_MAX,
  run: async (given, { since, project_id, types = [] }, sizeLimit) => {
    const using = { ...given, endpoint: { ...given.endpoint, project: given.endpoint.project ?? project_id ?? null } }
    const { project } = using.endpoint
    const kinds = types.length > 0 && { types: types.join(',') }
    for (let limit = CHANGES_MAX; ; limit >>= 1) {
      const page = await using.ctx.call('listChanges', {
        query: { since, limit, ...kinds, ...(project && { project_id: project }) },
      })
      const text = await renderChanges(using, page)
      if (sizeLimit.fits(text)) return toResult(page, text)
      if (limit === 1) return toResult(page, longestFit(text, sizeLimit.fits))
    }
  },
})

function toResult({ next_cursor: next, has_more }: ChangePage, text: string): ToolResult {
  return { text, structured: { next_since: next, has_more, text } }
}

async function renderChanges(using: ToolContext, page: ChangePage): Promise<string> {
  const closed = await closedAmong(using, page.changes)
  const lines = new Map<ChangeGroup, string[]>(GROUPS.map((group) => [group, []]))
  for (const change of latestOf(page.changes)) {
    const group = groupOf(change, closed)
    if (group) lines.get(group)?.push(lineOf(using, change))
  }
  const groups = GROUPS.flatMap((group) => {
    const some = lines.get(group) ?? []
    return some.length === 0 ? [] : [`${group}:\n${some.map((line) => `- ${line}`).join('\n')}`]
  })
  const sections = groups.length > 0 ? groups : ['No changes.']
  // The cursor comes first, so that it is not lost if the result is truncated.
  return [`next_since: ${page.next_cursor}${page.has_more ? ' (there is more)' : ''}`, ...sections].join('\n\n')
}

/** Returns the last change of each item. If the item was also added, the change counts as an addition. */
function latestOf(all: readonly Change[]): Change[] {
  const latest = new Map<string, Change>()
  for (const change of all) {
    const before = latest.get(change.id)
    const isNew = before?.change === 'added'
    latest.delete(change.id)
    // An item that was added and removed again is left out.
    if (isNew && change.change === 'removed') continue
    latest.set(change.id, isNew && change.change === 'changed' ? { ...change, change: 'added' } : change)
  }
  return [...latest.values()]
}

/** Returns the group of a change; undefined for a changed entity, whose changed records are listed instead. */
function groupOf({ kind, change, id }: Change, closed: ReadonlySet<string>): ChangeGroup | undefined {
  if (change === 'merged') return 'Merged'
  if (kind === 'entity') return change === 'added' ? 'New names' : undefined
  if (change === 'removed') return 'Removed'
  if (change === 'changed') return closed.has(id) ? 'Closed' : 'Changed'
  return 'New'
}

/** Returns the changed records whose work is now done. */
async function closedAmong({ ctx, access, endpoint }: ToolContext, all: readonly Change[]): Promise<Set<string>> {
  const changed = all.filter(({ kind, change }) => kind === 'record' && change === 'changed').map(({ id }) => id)
  if (changed.length === 0) return new Set()
  const { snapshot, view } = await openSnapshot(ctx, access, endpoint.project)
  const records = await readRecords(
    view,
    changed.filter((id) => view.graph.hasRecord(id, snapshot.scope)),
  )
  const done = [...records].filter(([, { content }]) => content.phase && !isUnfinished(content.phase))
  return new Set(done.map(([id]) => id))
}

function lineOf(using: ToolContext, { kind, change, id, into, title, type, url, occurred_at }: Change): string {
  const named = oneLine(title ?? '', NAME_CHARS_MAX)
  const of = oneLine(type ?? '', NAME_CHARS_MAX)
  if (change === 'merged') return `${named || id} (${of}) — ${id} is ${into} now`
  if (kind === 'entity') return `${named || id} (${of}) — ${id}`
  const shown = toPointer(using, { id, title: title ?? null, type: type ?? null, url: url ?? null, occurred_at })
  const parts = change === 'removed' ? [of, id] : [shown.title, of, shown.date, shown.url, id]
  return parts.filter(Boolean).join(' — ')
}
