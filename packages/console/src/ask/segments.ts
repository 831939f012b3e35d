/** A segment of an answer and the index of its statement; null for text between statements. */
export interface Segment {
  text: string
  statement: number | null
}

/**
 * Splits an answer into segments, each with its statement. Statements are searched in order, ignoring differences in
 * white space. A statement that does not occur verbatim is skipped.
 */
export function segmentsOf(answer: string, statements: readonly { text: string }[]): Segment[] {
  const segments: Segment[] = []
  let at = 0
  for (const [index, { text }] of statements.entries()) {
    const found = findAfter(answer, text, at)
    if (!found) continue
    if (found.start > at) segments.push({ text: answer.slice(at, found.start), statement: null })
    segments.push({ text: answer.slice(found.start, found.end), statement: index })
    at = found.end
  }
  if (at < answer.length) segments.push({ text: answer.slice(at), statement: null })
  return segments
}

function findAfter(answer: string, text: string, from: number): { start: number; end: number } | undefined {
  const words = text.trim().split(/\s+/)
  if (words[0] === '') return undefined
  const first = words[0] as string
  for (let start = answer.indexOf(first, from); start !== -1; start = answer.indexOf(first, start + 1)) {
    const end = endOfWords(answer, start, words)
    if (end !== undefined) return { start, end }
  }
  return undefined
}

function endOfWords(answer: string, start: number, words: readonly string[]): number | undefined {
  let at = start
  for (const [index, word] of words.entries()) {
    if (index > 0) {
      const rest = at
      while (/\s/.test(answer[at] ?? '')) at += 1
      if (at === rest) return undefined
    }
    if (!answer.startsWith(word, at)) return undefined
    at += word.length
  }
  return at
}
