import type { Caller } from '../caller.ts'

/** A credential as it was found. */
export interface FoundCaller {
  caller: Caller
  /** The account whose key it is, to count its uses; null for what is not counted. */
  holderId: string | null
  expiresAt: Date | null
}
