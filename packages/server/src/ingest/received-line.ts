import type { Decision } from '@cairnstore/engine/resolve'
import type { Line } from '../tenancy/handler.ts'
import type { ReceivingSource } from './receiving-source.ts'

/** A line that says what a person decided of things of the records before it. */
export type DecidedLine = { line: number; decision: Decision }

/** So many more records are known to come. */
export interface ExpectedLine {
  line: number
  expected: number
}

/** A line with what is known of its record beyond what it says itself. */
export type ReceivedLine = (Line | DecidedLine | ExpectedLine) & {
  /** The source that it goes to in place of the delivery's. */
  source?: ReceivingSource | null
  isStorageOnly?: boolean
  /** It does not say when it happened, and has the moment at which it came in its place. */
  isTimeAssumed?: true
  /** The moment of its version at its source. */
  asOf?: string | undefined
  /** It was exported, and not as what the owner of its sandbox had sent: it is not theirs who bring it either. */
  isOfOther?: boolean
}
