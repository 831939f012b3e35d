import type { Overview } from '@cairnstore/contract'
import { oneLine, roomFor, writeFitting } from './room.ts'
import { dayOf } from './tools/shown.ts'
import type { Using } from './tools/tool.ts'

const TOKENS_MAX = 2_000
const NAME_CHARS_MAX = 80
const SHOWN_MAX = 12
const NAMES_MAX = 6

/** What is in scope, in lines, of which those that tell most come first. */
export async function writeOverview({ ctx, door }: Using): Promise<string> {
  const query = door.project ? { project_id: door.project } : {}
  const lines = linesOf(await ctx.call('getOverview', { query }))
  return writeFitting(lines, roomFor(TOKENS_MAX), (some) => some.join('\n'))
}

function linesOf({ record_count: count, oldest, newest, types, sources, entities, topics }: Overview): string[] {
  const [from, to] = [dayOf(oldest?.occurred_at), dayOf(newest?.occurred_at)]
  return [
    `${count} records${from && to ? `, from ${from} to ${to}` : ''}`,
    ...listed('Kinds', types, ({ type, record_count }) => counted(type, record_count)),
    ...listed('Topics', topics, ({ name, record_count }) => counted(name, record_count)),
    ...entities
      .slice(0, SHOWN_MAX)
      .flatMap(({ type, entities: some }) =>
        listed(short(type), some.slice(0, NAMES_MAX), ({ name, canonical_id: id }) => `${short(name)} (${id})`),
      ),
    ...sources.slice(0, SHOWN_MAX).map(({ name = 'no source', provider, newest_at, record_count }) => {
      const latest = dayOf(newest_at) && `latest ${dayOf(newest_at)}`
      return `Source: ${[short(name), provider, `${record_count} records`, latest].filter(Boolean).join(', ')}`
    }),
  ]
}

function listed<T>(label: string, entries: readonly T[], write: (entry: T) => string): string[] {
  return entries.length === 0 ? [] : [`${label}: ${entries.slice(0, SHOWN_MAX).map(write).join(', ')}`]
}

function counted(name: string, count: number): string {
  return `${short(name)} (${count})`
}

function short(name: string): string {
  return oneLine(name, NAME_CHARS_MAX)
}
