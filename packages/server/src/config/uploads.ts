import { MS_PER_MINUTE } from '../base/clock.ts'
import type { Env } from './env.ts'
import { readWithinBounds } from './whole-numbers.ts'

/** Minimum speed of uploads. */
export interface UploadConfig {
  /** Minimum average rate in bytes per second. 0 disables the check. */
  bytesPerSecond: number
  /** Maximum duration of a whole upload. */
  totalMs: number
}

const BYTES_PER_SECOND = { least: 0, most: 100_000_000, unset: 8 * 1024 }
const MINUTES = { least: 1, most: 10_080, unset: 120 }

/** Reads the upload speed limits. Throws ConfigError for values out of range. */
export function readUploads(env: Env): UploadConfig {
  return {
    bytesPerSecond: readWithinBounds(env, 'CAIRN_UPLOAD_BYTES_PER_SECOND', BYTES_PER_SECOND),
    totalMs: readWithinBounds(env, 'CAIRN_UPLOAD_MINUTES', MINUTES) * MS_PER_MINUTE,
  }
}
