import { ABSTAINS, type WrittenStatement } from './writing-prompt.ts'

/** Field names that models use for the text of a statement and for its labels, including the requested names. */
const TEXT_KEYS = ['text', 'statement', 'sentence', 'answer', 'content', 'brief'] as const
const LABEL_KEYS = ['ids', 'id', 'labels', 'label', 'sources', 'source', 'citations', 'records'] as const

const LABEL = /\[?\b(r\d{1,3})\b\]?/g
const LABELS_WRITTEN = /[([{]\s*r\d{1,3}(?:\s*[,;&]\s*r\d{1,3})*\s*[)\]}]/g
const FENCE = /^\s*```.*$/gm
const MARKUP = /\*\*|__|^#{1,6} |^[-*] /gm
const PARAGRAPHS = /\n\s*\n/
const SENTENCES = /(?<=[.!?。！？]["”’)]?(?:\s*[([{]r\d{1,3}[^)\]}]{0,40}[)\]}])?)\s+(?=\S)/u

/** Parses a statement in the formats that models write: with other field names, a single label or no paragraph. */
export function readStatement(value: unknown): WrittenStatement | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const fields = value as Record<string, unknown>
  const text = TEXT_KEYS.map((key) => fields[key]).find((each) => typeof each === 'string')
  if (typeof text !== 'string') return undefined
  const given = LABEL_KEYS.map((key) => fields[key]).find((each) => each !== undefined)
  const ids = [given ?? []].flat().flatMap((each) => (typeof each === 'string' ? labelsIn(each) : []))
  const paragraph = typeof fields.paragraph === 'number' && Number.isInteger(fields.paragraph) ? fields.paragraph : 1
  const all = ids.length > 0 ? ids : labelsIn((text.match(LABELS_WRITTEN) ?? []).join(' '))
  // A statement without labels is rejected. The exception is one that says that the records do not answer.
  if (all.length === 0 && !(paragraph === ABSTAINS && text === '')) return undefined
  return { text, ids: all, paragraph }
}

/**
 * Parses statements from prose with labels: "The pump stopped [r1]. …". A sentence without a label gets the labels of
 * the next labeled sentence in its paragraph.
 */
export function readProse(reply: string): WrittenStatement[] {
  const answer = answerIn(reply)
  const paragraphs = answer.replace(FENCE, '').replace(MARKUP, '').split(PARAGRAPHS)
  return paragraphs.flatMap((paragraph, at) => {
    let ids: string[] = []
    const sentences = paragraph.trim().split(SENTENCES).toReversed()
    const read = sentences.flatMap((sentence): WrittenStatement[] => {
      const own = labelsIn((sentence.match(LABELS_WRITTEN) ?? []).join(' '))
      if (own.length > 0) ids = own
      return ids.length > 0 && sentence !== '' ? [{ text: sentence, ids, paragraph: at === 0 ? 1 : 2 }] : []
    })
    return read.toReversed()
  })
}

/** Returns the prose inside `{"answer": "…"}`, or the reply itself. */
function answerIn(reply: string): string {
  const [from, to] = [reply.indexOf('{'), reply.lastIndexOf('}')]
  if (from < 0 || to < from) return reply
  try {
    const value: unknown = JSON.parse(reply.slice(from, to + 1))
    const fields = value as Record<string, unknown>
    const text = TEXT_KEYS.map((key) => fields[key]).find((each) => typeof each === 'string')
    return typeof text === 'string' ? text : reply
  } catch {
    return reply
  }
}

function labelsIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(LABEL), ([, label = '']) => label))]
}
