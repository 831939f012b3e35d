import { TOPICS, type Topic } from '../lexicon/asked.ts'

/** A longer heading is a title rather than a label of what stands below. */
export const LABEL_CHARS_MAX = 60

/** The topics that a question in lower case asks for. */
export function topicsAsked(question: string): Topic[] {
  const asked = TOPICS.filter((each) => each.asks.test(question))
  return asked.flatMap(({ topic }) => (asked.some(({ inPlaceOf }) => inPlaceOf === topic) ? [] : [topic]))
}

/** The topics that a section's label stands for; none for a heading that is no such label. */
export function topicsOf(label: string): Topic[] {
  if (label.length > LABEL_CHARS_MAX) return []
  return TOPICS.filter((each) => each.labels.test(label)).map(({ topic }) => topic)
}

/** The label that a raw line opens with in bold, with the rest of the line. */
export function readLeadIn(line: string): { label: string; rest: string } | undefined {
  if (line[0] !== '*' && line[0] !== '_') return undefined
  const found = /^(\*\*|__|\*|_)([^*_]{2,60}?)([.:]?)\1([.:]?) +(?=\S)/.exec(line)
  if (!found || (found[3] === '' && found[4] === '')) return undefined
  return { label: found[2]!.trim(), rest: line.slice(found[0].length) }
}

/** The known label that a plain line opens with, as in "Root cause: the index was dropped". */
export function plainLabel(line: string): string | undefined {
  const label = /^(\p{Lu}[\p{L} -]{1,30}):\s/u.exec(line)?.[1]
  return label !== undefined && topicsOf(label).length > 0 ? label : undefined
}
