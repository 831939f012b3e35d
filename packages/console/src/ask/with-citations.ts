import { day } from '../parts/format.ts'
import { webAddress } from '../parts/plain.ts'
import type { ShownAnswer } from './conversation.ts'
import { segmentsOf } from './segments.ts'

/**
 * Returns a question with its answer as text. Each statement ends with the numbers of its records. The records are
 * listed at the end with title, date and address. A record without a web address gets its address in this console.
 */
export function withCitations(question: string, answer: ShownAnswer, origin: string): string {
  const { statements = [], citations, records = [] } = answer
  const ids = [...new Set(statements.flatMap(({ record_ids: each }) => each))]
  const numbersOf = (at: number) => (statements[at]?.record_ids ?? []).map((id) => `[${ids.indexOf(id) + 1}]`).join('')
  const text = segmentsOf(answer.answer, statements)
    .map(({ text: each, statement }) => (statement === null ? each : withNumbers(each, numbersOf(statement))))
    .join('')
  const sources = ids.map((id, at) => {
    const pointer = records.find(({ record_id: each }) => each === id)
    const cited = citations.find(({ canonical_id: own, record_ids: each }) => own === id || each[0] === id)
    const title = pointer?.title ?? cited?.title ?? (cited?.canonical_id === id ? cited.name : undefined)
    const when = pointer?.occurred_at && day(pointer.occurred_at)
    const address = webAddress(pointer?.url) ?? `${origin}/console/records/${id}`
    return `[${at + 1}] ${[title, when, address].filter(Boolean).join(', ')}`
  })
  return [question, text.trim(), ...(sources.length > 0 ? [sources.join('\n')] : [])].join('\n\n')
}

/** Adds numbers to a statement, before its final punctuation. */
function withNumbers(text: string, numbers: string): string {
  if (numbers === '') return text
  const [, body = text, end = ''] = /^([\s\S]*?)([.!?:;…]*\s*)$/.exec(text) ?? []
  return `${body} ${numbers}${end}`
}
