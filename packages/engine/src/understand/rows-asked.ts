import { pattern } from '../text/pattern.ts'

/** How a question for rows begins; anything else is not read as one. */
const OPENING = pattern(
  'i',
  '^\\W*(?:(?:please|could you|can you|tell me)\\s+)*(?:how many|count|number|list|show|give|find|get|display|',
  'which|what|who|in which|in what|for each|total|sum|average|mean|break)\\b|\\b(?:by|per|each)\\b',
)

/** Whether a question has the form of one for a count, a list, groups or an extreme. */
export function asksRows(question: string): boolean {
  return OPENING.test(question)
}
