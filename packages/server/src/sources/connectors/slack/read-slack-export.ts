import { type Mapped, mapped } from '../connector.ts'
import { type ExportFile, type ExportFiles, type ExportItem, jsonFile, type ReaderTools } from '../export-reader.ts'
import { list, pick, text } from '../pick.ts'
import type { MappedRecord } from '../to-record.ts'
import { mapMessage } from './map-messages.ts'
import { assignSlackSite, type MapDelivered, mapChannel, mapUser } from './map-workspace.ts'

/** Conversation type by list file: public channels, private channels, direct messages and group direct messages. */
const CHANNEL_FILES: Readonly<Record<string, string>> = {
  'channels.json': 'channel',
  'groups.json': 'group',
  'dms.json': 'im',
  'mpims.json': 'mpim',
}
/** A file with the messages of one day of one conversation. */
const DAY = /(?:^|\/)([^/]+)\/\d{4}-\d{2}-\d{2}\.json$/
const MENTION = /<@([A-Z][A-Z0-9]+)>/g

/** The users and conversations that messages refer to by id. */
interface Workspace {
  team: string
  /** The organization of several workspaces that it belongs to. */
  organisation: string | undefined
  users: Map<string, unknown>
  /** Conversations by the name of the folder with their messages. */
  channels: Map<string, { id: string; name: string | undefined; type: string }>
}

/** Placeholder in external ids if the export does not contain the workspace's id. */
const NO_TEAM = 'workspace'

/** Returns true for the file names of a Slack export: people or channels, and a folder of days per channel. */
export function isSlackExport(names: readonly string[]): boolean {
  const listed = new Set(names.map((name) => name.split('/').at(-1)!))
  const hasLists = listed.has('users.json') || Object.keys(CHANNEL_FILES).some((name) => listed.has(name))
  return hasLists && (names.some((name) => DAY.test(name)) || (listed.has('users.json') && listed.has('channels.json')))
}

/** Yields the people, channels and messages of an export. */
export async function* readSlackExport(files: ExportFiles, tools: ReaderTools): AsyncGenerator<ExportItem> {
  const workspace: Workspace = {
    team: NO_TEAM,
    organisation: undefined,
    users: new Map(),
    channels: new Map(),
  }
  for await (const file of files.files((name) => name.split('/').at(-1) === 'users.json')) {
    yield* itemsOf(file, tools, (user) => {
      workspace.team = text(user, 'team_id') ?? workspace.team
      workspace.organisation ??= text(user, 'enterprise_user', 'enterprise_id')
      const id = text(user, 'id')
      if (id) workspace.users.set(id, user)
      return read(mapUser, workspace, { type: 'user_change', user }).records
    })
  }
  for await (const file of files.files((name) => Object.hasOwn(CHANNEL_FILES, name.split('/').at(-1) ?? ''))) {
    const type = text(CHANNEL_FILES, file.name.split('/').at(-1)!)!
    yield* itemsOf(file, tools, (place) => {
      const id = text(place, 'id')
      if (!id) return []
      const name = text(place, 'name')
      workspace.channels.set(name ?? id, { id, name: type === 'im' ? undefined : name, type })
      // A direct message conversation has no name, so a record of it would be empty.
      if (type === 'im') return undefined
      return read(mapChannel, workspace, { type: 'channel_rename', channel: place }).records
    })
  }
  for await (const file of files.files((name) => DAY.test(name))) {
    const folder = DAY.exec(file.name)![1]!
    const place = workspace.channels.get(folder) ?? { id: folder, name: folder, type: 'channel' }
    yield* itemsOf(file, tools, (message) => {
      const fields = { ...withNames(message, workspace), type: 'message', channel: place.id, channel_type: place.type }
      const event = { ...fields, ...(place.name && { channel_name: place.name }) }
      const { records, ignored } = read(mapMessage, workspace, event)
      return ignored === 'no_knowledge' ? undefined : records
    })
  }
}

/** Yields the items of a file with a list. Skips entries that map to undefined; one without records is an error. */
async function* itemsOf(
  file: ExportFile,
  tools: ReaderTools,
  map: (entry: unknown) => readonly MappedRecord[] | undefined,
): AsyncGenerator<ExportItem> {
  const read = await jsonFile(file, tools)
  if ('error' in read) return yield { line: 1, file: file.name, error: read.error }
  if (!Array.isArray(read.value)) return yield { line: 1, file: file.name, error: NO_LIST }
  for (const [index, entry] of read.value.entries()) {
    const place = { line: index + 1, file: file.name }
    const records = map(entry)
    if (!records) continue
    if (records.length === 0) yield { ...place, error: NO_RECORD }
    for (const record of records) yield { ...place, record }
  }
}

const NO_LIST = { reason: 'not_understood', detail: 'This file of the Slack export must contain a JSON list.' }
const NO_RECORD = { reason: 'not_understood', detail: 'The entry has no id, no time or no content.' }

/** Maps an exported item as if Slack had delivered it as this event. */
function read(mapEvent: MapDelivered, { team, organisation }: Workspace, event: object): Mapped {
  const delivery = {
    headers: {},
    body: { team_id: team, enterprise_id: organisation, event },
    settings: { config: {}, accountId: null },
  }
  const found = mapped('import', mapEvent(delivery))
  return { ...found, records: team === NO_TEAM ? found.records : assignSlackSite(found.records, delivery) }
}

/** Returns a message with the names of the users that it refers to by id: its author and mentioned users. */
function withNames(message: unknown, { users }: Workspace): object {
  if (typeof message !== 'object' || message === null) return {}
  const author = users.get(text(message, 'user') ?? '')
  const markup = text(message, 'text')?.replace(MENTION, (whole, id: string) => {
    const name = nameOf(users.get(id))
    return name ? `<@${id}|${name}>` : whole
  })
  const profile = pick(message, 'user_profile') ?? (author && { ...profileOf(author), name: text(author, 'name') })
  const files = list(message, 'files').filter((file) => text(file, 'mode') !== 'tombstone')
  return {
    ...message,
    ...(markup !== undefined && { text: markup }),
    files,
    ...(profile ? { user_profile: profile } : {}),
  }
}

function profileOf(user: unknown): object {
  const profile = pick(user, 'profile')
  return typeof profile === 'object' && profile !== null ? profile : {}
}

function nameOf(user: unknown): string | undefined {
  const name = text(user, 'profile', 'display_name') ?? text(user, 'real_name') ?? text(user, 'profile', 'real_name')
  return (name ?? text(user, 'name'))?.replace(/[<>|]/g, '')
}
