import type { FailedRecord } from '@cairnstore/contract'
import type { ContentSeal } from './content-seal.ts'
import { type PublicKey, sealTo } from './sealed-box.ts'

/** A record that failed alone, as a job's row keeps it: which one it is and why is content. */
export type KeptFailure = FailedRecord | { line: number; reason: string; sealed: string }

const HIDDEN = 'Send the sandbox’s key to read which record it is and what is wrong with it.'

/** The failures of a job, sealed when its sandbox has a public key. */
export function keepFailures(
  jobId: string,
  failures: readonly KeptFailure[],
  to: PublicKey | undefined,
): KeptFailure[] {
  if (!to) return [...failures]
  return failures.map((failure) => {
    if ('sealed' in failure) return failure
    const { line, reason, ...rest } = failure
    const sealed = sealTo(to, placeOf(jobId), Buffer.from(JSON.stringify(rest)))
    return { line, reason, sealed: sealed.toString('base64') }
  })
}

/** A failure as the contract shows it: in full to who holds the key. */
export function showFailure(jobId: string, failure: KeptFailure, seal: ContentSeal | undefined): FailedRecord {
  if (!('sealed' in failure)) return failure
  const { line, reason, sealed } = failure
  if (!seal) return { line, reason, detail: HIDDEN }
  const rest = JSON.parse(seal.openBox(placeOf(jobId), Buffer.from(sealed, 'base64')).toString())
  return { line, reason, ...(rest as Omit<FailedRecord, 'line' | 'reason'>) }
}

function placeOf(jobId: string): string {
  return `failures/${jobId}`
}
