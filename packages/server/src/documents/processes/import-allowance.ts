import { MS_PER_MINUTE } from '../../base/clock.ts'
import { Refusal } from '../document.ts'

/**
 * Limits the processing time of an import by the number and size of its files. An archive of slow files can then not
 * keep a processor busy for hours.
 */
export interface ImportAllowance {
  /** Adds the time that a file of this size may take. */
  addFile(bytes: number): void
  spend(ms: number): void
  /** Throws `took_too_long` if the time is used up. */
  assert(): void
}

const BASE_MS = 5 * MS_PER_MINUTE
const MS_PER_FILE = 100
/** Milliseconds per MiB of a file. The slowest formats take seconds, and much longer on a busy machine. */
const MS_PER_MIB = MS_PER_MINUTE
const BYTES_PER_MIB = 1024 * 1024

const TOO_LONG =
  'The files of this import took much longer to read than files of their size do, so the rest was skipped. ' +
  'Send the other files in another import, without those that failed.'

export function openImportAllowance(): ImportAllowance {
  let leftMs = BASE_MS
  return {
    addFile: (bytes) => {
      leftMs += MS_PER_FILE + (MS_PER_MIB * bytes) / BYTES_PER_MIB
    },
    spend: (ms) => {
      leftMs -= ms
    },
    assert: () => {
      if (leftMs < 0) throw new Refusal('took_too_long', TOO_LONG)
    },
  }
}
