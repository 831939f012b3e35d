import type { SegmentedRecord, Statement } from './statement.ts'
import { countWords, isQuestion } from './traits.ts'

/** Minimum number of words of a self-contained reply. A shorter one needs the question before it: "Yes, please." */
const SELF_CONTAINED_WORDS = 4

/**
 * Returns the questions of earlier messages to which short statements reply. A message replies to the previous message
 * of its conversation if that message is by somebody else and asks something. Only the first statement of a reply is
 * considered.
 */
export function questionsRepliedTo(segmented: readonly SegmentedRecord[]): ReadonlyMap<Statement, string> {
  const conversations = new Map<string, SegmentedRecord[]>()
  for (const each of segmented) {
    const { conversation, occurredAtMs } = each.record
    if (conversation === undefined || occurredAtMs === undefined) continue
    conversations.set(conversation, [...(conversations.get(conversation) ?? []), each])
  }
  const questions = new Map<Statement, string>()
  for (const messages of conversations.values()) {
    messages.sort((one, other) => one.record.occurredAtMs! - other.record.occurredAtMs!)
    for (const [at, { record, statements }] of messages.entries()) {
      const before = messages[at - 1]
      const opening = statements[0]
      if (!before || !opening || isQuestion(opening.text) || countWords(opening.text) >= SELF_CONTAINED_WORDS) continue
      if (authorOf(record) === authorOf(before.record)) continue
      const asked = before.statements.filter(({ text }) => isQuestion(text)).at(-1)
      if (asked) questions.set(opening, asked.text)
    }
  }
  return questions
}

function authorOf({ author }: SegmentedRecord['record']): string | undefined {
  return author?.canonicalId ?? author?.name
}
