/** The tag around the reasoning of a model. */
export const REASONING_TAG = 'think'
const [OPENING, CLOSING] = [`<${REASONING_TAG}>`, `</${REASONING_TAG}>`]

/** Returns a text without its reasoning, in time proportional to its length. */
export function withoutReasoning(text: string): string {
  const kept: string[] = []
  let from = 0
  for (;;) {
    const opening = text.indexOf(OPENING, from)
    const closing = opening === -1 ? -1 : text.indexOf(CLOSING, opening + OPENING.length)
    // Reasoning that does not end is part of the answer, as everything after it is.
    if (closing === -1) break
    kept.push(text.slice(from, opening))
    from = closing + CLOSING.length
  }
  return [...kept, text.slice(from)].filter((part) => part !== '').join('\n')
}
