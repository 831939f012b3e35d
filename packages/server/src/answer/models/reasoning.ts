/** The tag that encloses a model's reasoning. */
export const REASONING_TAG = 'think'
const [OPENING, CLOSING] = [`<${REASONING_TAG}>`, `</${REASONING_TAG}>`]

/** Returns a text without its reasoning, in linear time. */
export function withoutReasoning(text: string): string {
  const parts: string[] = []
  let from = 0
  for (;;) {
    const opening = text.indexOf(OPENING, from)
    const closing = opening === -1 ? -1 : text.indexOf(CLOSING, opening + OPENING.length)
    // An unclosed reasoning tag and everything after it count as part of the answer.
    if (closing === -1) break
    parts.push(text.slice(from, opening))
    from = closing + CLOSING.length
  }
  return [...parts, text.slice(from)].filter((part) => part !== '').join('\n')
}
