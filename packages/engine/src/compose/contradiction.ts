import type { Candidate } from './candidates.ts'

/** Two records that say different things about one matter. */
export interface Contradiction {
  /** What the newer record says; when neither is newer, the more relevant one. */
  stands: Candidate
  /** What it contradicts. */
  fallen: Candidate
  /** The differing values, where there are such. */
  values?: { stands: string; fallen: string }
  /** Whether one record is known to be newer than the other. */
  dated: boolean
  /** Whether what stands tells by itself what it replaces. */
  told?: boolean
}
