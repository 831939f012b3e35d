import { list, pick, text } from '../pick.ts'

/** A text and the people that it mentions, by account id or user name. */
export interface PlainText {
  text: string
  mentions: { id: string; name: string | undefined }[]
}

const DEPTH_MAX = 32
/** Node types that end a line. */
const BLOCKS = new Set([
  ...['paragraph', 'heading', 'codeBlock', 'blockquote', 'rule', 'panel', 'mediaSingle'],
  ...['decisionItem', 'expand', 'nestedExpand', 'blockCard', 'embedCard'],
])

/** Converts a text from Jira to plain text: wiki markup, or a document in Atlassian Document Format. */
export function plainText(content: unknown): PlainText {
  if (typeof content === 'string') return fromWiki(content)
  const mentions: PlainText['mentions'] = []
  return {
    text: fromNodes(content, mentions, 0)
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
    mentions,
  }
}

function fromNodes(node: unknown, mentions: PlainText['mentions'], depth: number): string {
  if (depth > DEPTH_MAX) return ''
  const type = text(node, 'type') ?? ''
  const inner = list(node, 'content').map((child) => fromNodes(child, mentions, depth + 1))
  switch (type) {
    case 'text':
      return linked(String(pick(node, 'text') ?? ''), node)
    case 'hardBreak':
      return '\n'
    case 'mention': {
      const name = text(node, 'attrs', 'text')?.replace(/^@/, '')
      const id = text(node, 'attrs', 'id')
      if (id) mentions.push({ id, name })
      return `@${name ?? id ?? ''}`
    }
    case 'emoji':
      return text(node, 'attrs', 'text') ?? text(node, 'attrs', 'shortName') ?? ''
    case 'inlineCard':
    case 'blockCard':
    case 'embedCard':
      return `${text(node, 'attrs', 'url') ?? ''}${BLOCKS.has(type) ? '\n' : ''}`
    case 'date':
      return dayOf(text(node, 'attrs', 'timestamp'))
    case 'status':
      return text(node, 'attrs', 'text') ?? ''
    case 'tableCell':
    case 'tableHeader':
      return `${inner.join('').trim()} | `
    case 'tableRow':
      return `${inner.join('').replace(/ \| $/, '')}\n`
    case 'taskItem':
      return `[${text(node, 'attrs', 'state') === 'DONE' ? 'x' : ' '}] ${inner.join('').trim()}\n`
    case 'media':
    case 'mediaInline': {
      const shown = text(node, 'attrs', 'alt')
      return shown ? `[file: ${shown}]` : ''
    }
    case 'listItem':
      return `- ${inner.join('').trim()}\n`
    default:
      return `${inner.join('')}${BLOCKS.has(type) ? '\n' : ''}`
  }
}

/** Returns the text of a link, followed by its URL if the text is not the URL. */
function linked(shown: string, node: unknown): string {
  const mark = list(node, 'marks').find((one) => text(one, 'type') === 'link')
  const href = text(mark, 'attrs', 'href')
  return href && !href.includes(shown) ? `${shown} (${href})` : (href ?? shown)
}

function dayOf(timestamp: string | undefined): string {
  const at = new Date(Number(timestamp))
  return Number.isNaN(at.getTime()) ? '' : at.toISOString().slice(0, 'YYYY-MM-DD'.length)
}

/** Every repetition has an upper bound or excludes its first character, so that matching takes linear time. */
const MENTION = /\[~(?:accountid:)?([^[\]\n]{1,256})\]/g
const LINK = /\[([^[\]|\n]{0,1024})\|([^[\]|\n]{1,2048})(?:\|[^[\]\n]{0,256})?\]/g
const BARE_LINK = /\[((?:https?:\/\/|mailto:)[^[\]|\n]{1,2048})\]/g
const MACRO = /\{(?:code|noformat|quote|panel|color|adf|expand)(?::[^{}\n]{0,512})?\}/g
const IMAGE = /!([^!\n|]{1,256}\.\w{2,5})(?:\|[^!\n]{0,256})?!/g
const HEADING = /^h[1-6]\.\s+/gm
const EMPHASIS = /(?<![\p{L}\p{N}])([*_+])(?=\S)([^*_+\n]*[^*_+\s])\1(?![\p{L}\p{N}])/gu
const STRUCK = /(?<![\p{L}\p{N}-])-(?=\S)([^-\n]*[^-\s])-(?![\p{L}\p{N}-])/gu

function fromWiki(markup: string): PlainText {
  const mentions: PlainText['mentions'] = []
  const shown = markup
    .replace(/\r\n?/g, '\n')
    .replace(MENTION, (_, id: string) => {
      mentions.push({ id, name: undefined })
      return `@${id}`
    })
    .replace(LINK, (_, label: string, target: string) =>
      label && !target.includes(label) ? `${label} (${target})` : target,
    )
    .replace(BARE_LINK, '$1')
    .replace(IMAGE, '[file: $1]')
    .replace(MACRO, '')
    .replace(HEADING, '')
    .replace(EMPHASIS, '$2')
    .replace(STRUCK, '$1')
  return { text: shown.trim(), mentions }
}
