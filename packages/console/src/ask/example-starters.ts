import type { SearchOptions } from './conversation.ts'

/** A suggested question. */
export interface Starter {
  question: string
  manner: SearchOptions
}

/** Owner id in the example workspace, by which the workspace is recognized. A test compares the two. */
export const EXAMPLE_OWNER = '5b0f3c1e-7a42-4d8e-9c61-2f4be0d1a7c3'
/** Reference date of the example workspace. Questions are asked as on this day. */
export const EXAMPLE_TODAY = '2026-07-31'

/**
 * Questions that show the variety of the example: a cause, a change of owner, a moved date, numbers, a mistaken belief.
 */
export const EXAMPLE_QUESTIONS = [
  'What caused the duplicate invoices in June, how was it fixed, who owns the follow-ups, and what is still open?',
  'Who owns ledger-api now, and who owned it before?',
  'When will Harbour launch, and how often has the date moved?',
  'Why did nobody get an alarm when Bay 12 warmed up?',
  'What was believed to be the cause of the ledger outage at first, and why was that wrong?',
] as const

/** Returns the example questions, asked at the example's reference date. */
export function exampleStarters(): Starter[] {
  return EXAMPLE_QUESTIONS.map((question) => ({ question, manner: { reference_date: EXAMPLE_TODAY } }))
}
