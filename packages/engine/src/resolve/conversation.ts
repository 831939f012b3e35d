import type { Turn } from '../text/analyse-record.ts'
import { recordKey } from './declarations.ts'
import type { Declaration, RecordContent } from './record-content.ts'

/** Property names, without separators, whose value is the external id of the record that started the thread. */
const THREAD_FIELDS = [
  'thread',
  'threadid',
  'threadts',
  'inreplyto',
  'replyto',
  'parent',
  'parentid',
  'issue',
  'pullrequest',
  'document',
  'documentid',
]
/** Names of properties for the place of a message, such as a channel. All of a record's together identify one place. */
const LOCATION_FIELDS: ReadonlySet<string> = new Set(
  ['session', 'conversation', 'dialogue', 'dialog', 'chat', 'channel', 'room', 'meeting', 'call', 'group'].flatMap(
    (name) => [name, `${name}id`],
  ),
)
/** Matches the last number of an external id. It orders records of equal time: message 9 is before message 10. */
const LAST_NUMBER = /(\d{1,9})\D*$/
const QUESTION_MARKS = ['?', '？', '؟']
const ENDS_WITH_QUESTION = /[?？؟][^\p{L}\p{N}]*$/u
/** Number of characters at the end in which a question mark is searched. A space or an emoji may follow the mark. */
const TAIL_CHARS = 8
/** Maximum number of properties that are examined. A record with more is a table row. */
const FIELDS_MAX = 50

/**
 * Returns the position of a record in its conversation. The conversation is the thread that its properties name,
 * otherwise the channel, session or other place. A record with author and time and without a title belongs to the
 * conversation of its source.
 */
export function turnOf(content: RecordContent, sourceId: string | null, declarations: readonly Declaration[]): Turn {
  const author = declarations.find((thing) => thing.role === 'author')
  const position = Number(LAST_NUMBER.exec(content.external_id)?.[1] ?? 0)
  const text = content.text ?? ''
  return {
    ...conversationOf(content, sourceId),
    asks: QUESTION_MARKS.some((mark) => text.includes(mark)),
    endsAsking: ENDS_WITH_QUESTION.test(text.slice(-TAIL_CHARS)),
    position,
    author: author && keyOf(author),
  }
}

/** Returns the key by which a record is linked to an entity. */
function keyOf({ identifiers, names }: Declaration): string | undefined {
  return identifiers[0] ?? names[0]?.key
}

function conversationOf(content: RecordContent, sourceId: string | null): Pick<Turn, 'conversation' | 'isLoose'> {
  const fields = new Map<string, string>()
  for (const [name, value] of Object.entries(content.properties ?? {}).slice(0, FIELDS_MAX)) {
    if ((typeof value === 'string' && value !== '') || typeof value === 'number') {
      fields.set(name.toLowerCase().replace(/[^a-z]/g, ''), String(value))
    }
  }
  const root = THREAD_FIELDS.map((name) => fields.get(name)).find((value) => value !== undefined)
  if (root !== undefined) return { conversation: recordKey(sourceId, root), isLoose: false }
  const locations = [...fields].filter(([name]) => LOCATION_FIELDS.has(name)).sort(([a], [b]) => (a < b ? -1 : 1))
  const isUtterance = content.author !== undefined && content.occurred_at !== undefined && !content.title?.trim()
  if (locations.length === 0 && !isUtterance) return { conversation: undefined, isLoose: false }
  return { conversation: `said:${sourceId ?? ''}:${JSON.stringify(locations)}`, isLoose: true }
}
