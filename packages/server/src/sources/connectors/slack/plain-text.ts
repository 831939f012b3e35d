import { list, moment, present, text } from '../pick.ts'

/** Plain text of Slack's markup, and the users and channels that it mentions. */
export interface PlainText {
  text: string
  users: { id: string; label: string | undefined }[]
  channels: { id: string; label: string | undefined }[]
}

const REFERENCE = /<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>/g
const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }
/** `*bold*`, `_italic_` and `~struck~` around whole words. */
const EMPHASIS = /(?<![\p{L}\p{N}])([*_~])(?=\S)([^*_~\n]*[^*_~\s])\1(?![\p{L}\p{N}])/gu

/** Converts Slack's markup to plain text: labels for references, decoded entities, no emphasis. */
export function plainText(markup: string): PlainText {
  const users: PlainText['users'] = []
  const channels: PlainText['channels'] = []
  const shown = markup.replace(REFERENCE, (_, sign: string, target: string, label: string | undefined) => {
    if (sign === '@') {
      users.push({ id: target, label })
      return `@${label ?? target}`
    }
    if (sign === '#') {
      channels.push({ id: target, label })
      return `#${label ?? target}`
    }
    if (sign === '!') return label ?? `@${target.split('^', 1)[0]}`
    const address = target.replace(/^mailto:/, '')
    // A label that only shortens its URL has less information than the URL.
    return label && !address.includes(label) ? `${label} (${address})` : address
  })
  return { text: unescaped(shown.replace(EMPHASIS, '$2')), users, channels }
}

function unescaped(value: string): string {
  return value.replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] as string)
}

/** Maximum nesting depth of blocks that is read. */
const DEPTH_MAX = 8

/** Returns the markup in blocks. */
export function blocksMarkup(blocks: unknown, depth = 0): string {
  if (depth > DEPTH_MAX) return ''
  const parts = list(blocks).map((block) => {
    switch (text(block, 'type')) {
      case 'text':
      case 'plain_text':
      case 'mrkdwn':
      case 'raw_text':
        return text(block, 'text')
      case 'link': {
        const label = text(block, 'text')
        return `<${text(block, 'url') ?? ''}${label ? `|${label}` : ''}>`
      }
      case 'user':
        return `<@${text(block, 'user_id') ?? ''}>`
      case 'channel':
        return `<#${text(block, 'channel_id') ?? ''}>`
      case 'emoji':
        return `:${text(block, 'name') ?? ''}:`
      case 'usergroup':
        return `<!subteam^${text(block, 'usergroup_id') ?? ''}>`
      case 'date':
        return text(block, 'fallback') ?? moment(block, 'timestamp')
      case 'color':
        return text(block, 'value')
      case 'broadcast':
        return `<!${text(block, 'range') ?? ''}>`
      case 'markdown':
        return `${text(block, 'text')?.replaceAll('**', '*') ?? ''}\n`
      default:
        return blockMarkup(block, depth)
    }
  })
  return present(parts).join('')
}

function blockMarkup(block: unknown, depth: number): string {
  const fields = block as Record<string, unknown> | null
  if (fields === null || typeof fields !== 'object') return ''
  const inner = [fields.text, fields.title, fields.description, ...list(fields.fields)].filter(
    (part) => part !== null && typeof part === 'object',
  )
  const rows = list(fields.rows).map((row) =>
    list(row)
      .map((cell) => blocksMarkup([cell], depth + 1).trim())
      .join(' | '),
  )
  const shown = [blocksMarkup(inner, depth + 1), text(fields, 'alt_text'), blocksMarkup(fields.elements, depth + 1)]
  const lines = [...shown, ...rows].filter(Boolean)
  return lines.length > 0 ? `${lines.join('\n')}\n` : ''
}
