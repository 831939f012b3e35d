import type { Delivered } from '../connector.ts'
import { list, moment, number, pick, present, text } from '../pick.ts'
import { entity, type MappedRecord, type MappingResult, toRecord, withdrawal } from '../to-record.ts'
import { channel, member, permalink, workspace } from './map-workspace.ts'
import { blocksMarkup, plainText } from './plain-text.ts'

/** Notices of Slack about joins, leaves and settings, and copies of other events. */
const NOTICES = new Set([
  ...['channel_join', 'channel_leave', 'channel_archive', 'channel_unarchive', 'channel_convert_to_private'],
  ...['channel_posting_permissions', 'group_join', 'group_leave', 'group_archive', 'group_unarchive', 'pinned_item'],
  ...['unpinned_item', 'ekm_access_denied', 'message_replied', 'reminder_add', 'bot_add', 'bot_remove'],
  ...['assistant_app_thread', 'huddle_thread', 'joiner_notification', 'tombstone', 'sh_room_created'],
])

/** Maps all subtypes of `message`, and `app_mention`, which is a message too. */
export function mapMessage(delivered: Delivered): MappingResult {
  const event = pick(delivered.body, 'event')
  const subtype = text(event, 'subtype')
  const channelId = text(event, 'channel') ?? text(event, 'channel', 'id')
  if (!channelId) return undefined
  const team = workspace(delivered, event)
  if (subtype === 'message_deleted') {
    const ts = text(event, 'deleted_ts') ?? text(event, 'previous_message', 'ts')
    const at = moment(event, 'event_ts') ?? moment(event, 'ts')
    return ts ? withdrawal(messageId(team, channelId, ts), 'message', at) : undefined
  }
  if (subtype === 'message_changed') return mapChanged(delivered, event, channelId, team)
  if (subtype && NOTICES.has(subtype)) return 'no_knowledge'
  return messageRecord(delivered, event, channelId, team)
}

/** Maps an edit, which replaces the message. A deleted message with replies is sent as an edit to a tombstone. */
function mapChanged(delivered: Delivered, event: unknown, channelId: string, team: string): MappingResult {
  const message = pick(event, 'message')
  const ts = text(message, 'ts')
  const at = moment(event, 'event_ts') ?? moment(event, 'ts')
  if (ts && text(message, 'subtype') === 'tombstone') {
    return withdrawal(messageId(team, channelId, ts), 'message', at)
  }
  const record = messageRecord(delivered, message, channelId, team)
  return record && at ? { ...record, as_of: at } : record
}

/** Returns the external id of a message. It is the same for events and for the history of a channel. */
export function messageId(team: string, channelId: string, ts: string): string {
  return `message/${team}/${channelId}/${ts}`
}

function messageRecord(
  delivered: Delivered,
  message: unknown,
  channelId: string,
  team: string,
): MappedRecord | undefined {
  const ts = text(message, 'ts')
  if (!ts) return undefined
  const content = plainText(markupOf(message))
  const files = list(message, 'files').map((file) => text(file, 'title') ?? text(file, 'name'))
  const body = present([content.text.trim() || undefined, ...list(message, 'files').map(fileText)]).join('\n')
  if (!body) return undefined
  const thread = text(message, 'thread_ts')
  const place = channel(channelId, text(message, 'channel_name'))
  const conversation = threadEntity(team, channelId, thread ?? ts)
  const isInThread = thread !== undefined || number(message, 'reply_count') !== undefined
  return toRecord({
    externalId: messageId(team, channelId, ts),
    type: 'message',
    text: body,
    url: permalink(delivered, team, channelId, ts),
    occurredAt: moment(ts),
    asOf: moment(message, 'edited', 'ts') ?? moment(ts),
    author: authorOf(message),
    participants: content.users.map(({ id, label }) => member(id, undefined, label)),
    entities: [
      place,
      isInThread ? conversation : undefined,
      ...content.channels.map(({ id, label }) => channel(id, label)),
    ],
    relations: [isInThread ? { subject: conversation, predicate: 'part_of', object: place } : undefined],
    properties: {
      channel: place?.name,
      channel_type: text(message, 'channel_type'),
      thread: isInThread ? messageId(team, channelId, thread ?? ts) : undefined,
      reply_to: thread && thread !== ts ? messageId(team, channelId, thread) : undefined,
      edited_at: moment(message, 'edited', 'ts'),
      subtype: text(message, 'subtype'),
      files: present(files),
      reactions: reactionsOf(message),
    },
  })
}

/** Returns a thread as an entity, named by its channel and first message, because it has no name. */
function threadEntity(team: string, channelId: string, ts: string) {
  return entity('thread', `Thread ${channelId}/${ts}`, { thread: `${team}/${channelId}/${ts}` })
}

function authorOf(message: unknown) {
  const user = text(message, 'user') ?? text(message, 'user_id')
  if (user) return member(user, pick(message, 'user_profile'), text(message, 'username'))
  const bot = text(message, 'bot_id')
  return entity('bot', text(message, 'bot_profile', 'name') ?? text(message, 'username') ?? bot, { id: bot })
}

function reactionsOf(message: unknown): Record<string, number> | undefined {
  const counts = list(message, 'reactions').flatMap((one) => {
    const name = text(one, 'name')
    return name ? [[name, number(one, 'count') ?? list(one, 'users').length] as const] : []
  })
  return counts.length > 0 ? Object.fromEntries(counts) : undefined
}

/** Returns a file's name and the text sent with it: a snippet's beginning, an email, a clip's transcript. */
function fileText(file: unknown): string | undefined {
  const name = text(file, 'title') ?? text(file, 'name')
  const content = text(file, 'plain_text') ?? text(file, 'transcription', 'preview', 'content') ?? text(file, 'preview')
  return present([name && `[file: ${name}]`, content]).join('\n') || undefined
}

/** Returns the markup of a message: its text or else its blocks, and its attachments. */
function markupOf(message: unknown): string {
  const own = ownMarkup(message)
  const attached = list(message, 'attachments').map((one) => {
    const parts = [text(one, 'pretext'), text(one, 'title'), text(one, 'text')]
    const fields = list(one, 'fields').map((field) => present([text(field, 'title'), text(field, 'value')]).join(': '))
    return present([...parts, ...fields]).join('\n') || text(one, 'fallback') || blocksMarkup(pick(one, 'blocks'))
  })
  return present([own, ...attached.map((part) => part || undefined)]).join('\n')
}

const LETTERS = /[^\p{L}\p{N}]+/gu

/** Returns the markup of a message: its text, and the blocks of an app that the text does not contain. */
function ownMarkup(message: unknown): string | undefined {
  const blocks = list(message, 'blocks').slice(0, BLOCKS_MAX)
  const own = text(message, 'text')
  if (own === undefined) return blocksMarkup(blocks).trim() || undefined
  const known = own.replace(LETTERS, '')
  const more = blocks
    .filter((block) => EXTRA_BLOCK_TYPES.has(text(block, 'type') ?? ''))
    .map((block) => blocksMarkup([block]).trim())
    .filter((markup) => markup !== '' && !known.includes(plainText(markup).text.replace(LETTERS, '')))
  return [own, ...more].join('\n')
}

/** Maximum number of blocks per message, as in Slack. Each is searched for in the message's text. */
const BLOCKS_MAX = 50

/** Block types with their own text. The message's text already contains that of rich text blocks. */
const EXTRA_BLOCK_TYPES = new Set(['header', 'section', 'context', 'markdown', 'table', 'video', 'image'])

/** Maps `reaction_added` and `reaction_removed`. */
export function mapReaction(delivered: Delivered): MappingResult {
  const event = pick(delivered.body, 'event')
  const channelId = text(event, 'item', 'channel')
  const ts = text(event, 'item', 'ts')
  const user = text(event, 'user')
  const emoji = text(event, 'reaction')
  if (!channelId || !ts || !user || !emoji) return undefined
  const team = workspace(delivered, event)
  const at = moment(event, 'event_ts')
  const place = channel(channelId)
  return toRecord({
    externalId: `reaction/${team}/${channelId}/${ts}/${user}/${emoji}`,
    type: 'reaction',
    gone: text(event, 'type') === 'reaction_removed' && { asOf: at },
    text: `Reacted with :${emoji}:`,
    url: permalink(delivered, team, channelId, ts),
    occurredAt: at,
    asOf: at,
    author: member(user),
    participants: [member(text(event, 'item_user'))],
    entities: [place, threadEntity(team, channelId, ts)],
    properties: { emoji, channel: place?.name, reply_to: messageId(team, channelId, ts) },
  })
}
