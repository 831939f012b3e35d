import { readFileSync } from 'node:fs'
import { ConfigError } from './config-error.ts'

/**
 * Number of file descriptors that are reserved for the engines. About 200 are open after a start. Datasets, the
 * database and outgoing calls need more.
 */
const RESERVED_DESCRIPTORS = 320
/** Minimum number of connections for a usable service. */
const CONNECTIONS_MIN = 64
/** Share of the remaining descriptors for connections. The others are for files and sockets that requests open. */
const CONNECTIONS_SHARE = 0.75
/** Maximum connections of one process. An idle one uses about 10 kB. Several processes can serve more. */
const CONNECTIONS_MAX = 20_000
/** Assumed limit if the system does not report one. On nearly every system, Node raises its limit to this number. */
const DESCRIPTORS_ASSUMED = 4_096

/**
 * Returns the maximum number of connections if the process may open `descriptors` files: the setting, or what the
 * engines leave. Throws ConfigError if too few files remain for the engines.
 */
export function connectionsFor(requested: number | null, descriptors = descriptorsMax()): number {
  const minimum = RESERVED_DESCRIPTORS + Math.ceil(CONNECTIONS_MIN / CONNECTIONS_SHARE)
  if (descriptors < minimum) {
    throw new ConfigError(
      `This process may open ${descriptors} files, but needs ${minimum}: ` +
        'raise its limit (ulimit -n, LimitNOFILE).',
    )
  }
  if (requested === null)
    return Math.min(CONNECTIONS_MAX, Math.floor((descriptors - RESERVED_DESCRIPTORS) * CONNECTIONS_SHARE))
  if (requested + RESERVED_DESCRIPTORS > descriptors) {
    throw new ConfigError(
      `CAIRN_CONNECTIONS_MAX of ${requested} needs ${requested + RESERVED_DESCRIPTORS} open files, but this process ` +
        `may open only ${descriptors}: lower it, or raise the limit (ulimit -n, LimitNOFILE).`,
    )
  }
  return requested
}

/** Returns the process's limit of open files and connections. */
export function descriptorsMax(read = () => readFileSync('/proc/self/limits', 'utf8')): number {
  try {
    const limit = /^Max open files\s+(\d+|unlimited)/m.exec(read())?.[1]
    return limit === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(limit ?? DESCRIPTORS_ASSUMED)
  } catch {
    return DESCRIPTORS_ASSUMED
  }
}
