/** A stretch of code in a text: from the line that opens it to after the one that closes it. */
export interface Fenced {
  readonly from: number
  readonly to: number
  /** The signs that open it, by which it is closed too. */
  readonly mark: string
}

const FENCE = /^(`{3,}|~{3,})(.*)$/

/** The code between fences in a text, in order; what is opened last may go on to its end. */
export function fencesOf(text: string): Fenced[] {
  if (!text.includes('```') && !text.includes('~~~')) return []
  const found: Fenced[] = []
  let open: { from: number; mark: string } | undefined
  let from = 0
  for (const line of text.split('\n')) {
    const to = Math.min(text.length, from + line.length + 1)
    const [, mark, rest = ''] = FENCE.exec(line.trim()) ?? []
    if (open) {
      if (mark?.startsWith(open.mark)) {
        found.push({ ...open, to })
        open = undefined
      }
    } else if (mark) {
      // A fence that opens and closes on one line holds code as well.
      if (rest.endsWith(mark)) found.push({ from, to, mark })
      else open = { from, mark }
    }
    from = to
  }
  if (open) found.push({ ...open, to: text.length })
  return found
}

/** A part of a text in which what was code stays code: cut inside a fence, it is opened and closed again. */
export function cutOut(text: string, from: number, to: number, fences: readonly Fenced[]): string {
  const opened = fences.find((fence) => fence.from < from && from < fence.to)
  const left = fences.find((fence) => fence.from < to && to < fence.to)
  return `${opened ? `${opened.mark}\n` : ''}${text.slice(from, to).trim()}${left ? `\n${left.mark}` : ''}`
}
