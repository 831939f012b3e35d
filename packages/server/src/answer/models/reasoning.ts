import { extractReasoningMiddleware, type LanguageModelMiddleware } from 'ai'

const TAG = 'think'
const [OPENING, CLOSING] = [`<${TAG}>`, `</${TAG}>`]

/**
 * Removes the reasoning that a model writes before its answer. For a whole answer the library's own expression takes
 * time that grows with the square of the answer's length, so only its parser of streams is used.
 */
export function reasoningRemoved(): LanguageModelMiddleware {
  const { wrapStream } = extractReasoningMiddleware({ tagName: TAG })
  return {
    specificationVersion: 'v3',
    ...(wrapStream && { wrapStream }),
    wrapGenerate: async ({ doGenerate }) => {
      const { content, ...rest } = await doGenerate()
      const answer = content.map((part) =>
        part.type === 'text' ? { ...part, text: withoutReasoning(part.text) } : part,
      )
      return { ...rest, content: answer }
    },
  }
}

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
