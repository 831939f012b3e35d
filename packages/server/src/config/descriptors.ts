import { readFileSync } from 'node:fs'
import { ConfigError } from './config-error.ts'

/**
 * Descriptors that are never given to connections: some 200 are open after a start, and the engines open more for
 * datasets, for the database and for calls of their own.
 */
const KEPT_BACK = 320
/** With fewer connections than this a service is none. */
const CONNECTIONS_MIN = 64
/** Of what is left, the rest is for what requests open in their turn. */
const CONNECTIONS_SHARE = 0.75
/** An idle connection holds some 10 KiB; more than these belong on several processes. */
const CONNECTIONS_MAX = 20_000
/** What is assumed where the system does not say: what Node raises its own limit to nearly everywhere. */
const DESCRIPTORS_ASSUMED = 4_096

/**
 * How many connections a process may hold when it may open `descriptors` files: what the setting asks for, or what the
 * engines do not need. Throws ConfigError when too few files are left for the engines.
 */
export function connectionsFor(asked: number | null, descriptors = descriptorsMax()): number {
  const least = KEPT_BACK + Math.ceil(CONNECTIONS_MIN / CONNECTIONS_SHARE)
  if (descriptors < least) {
    throw new ConfigError(
      `This process may open ${descriptors} files at once and needs ${least}: ` +
        'raise its limit (ulimit -n, LimitNOFILE).',
    )
  }
  if (asked === null) return Math.min(CONNECTIONS_MAX, Math.floor((descriptors - KEPT_BACK) * CONNECTIONS_SHARE))
  if (asked + KEPT_BACK > descriptors) {
    throw new ConfigError(
      `CAIRN_CONNECTIONS_MAX of ${asked} needs ${asked + KEPT_BACK} files open at once, and this process may open ` +
        `${descriptors}: lower it, or raise the limit (ulimit -n, LimitNOFILE).`,
    )
  }
  return asked
}

/** How many files and connections the system lets this process have open. */
export function descriptorsMax(read = () => readFileSync('/proc/self/limits', 'utf8')): number {
  try {
    const limit = /^Max open files\s+(\d+|unlimited)/m.exec(read())?.[1]
    return limit === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(limit ?? DESCRIPTORS_ASSUMED)
  } catch {
    return DESCRIPTORS_ASSUMED
  }
}
