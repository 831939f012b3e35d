import { totalmem } from 'node:os'
import { ConfigError } from './config-error.ts'

/** Share of the process's memory that is used for graphs. The rest is for the engines, requests and Node. */
const GRAPHS_SHARE = 0.5

/**
 * Returns the number of bytes that graphs may use: the setting, or half of the process's `memory`. Throws ConfigError
 * if the setting is greater than the memory.
 */
export function graphBytesFor(requested: number | null, memory = memoryMax()): number {
  if (requested === null) return Math.floor(memory * GRAPHS_SHARE)
  if (requested > memory) {
    throw new ConfigError(
      `CAIRN_GRAPH_MIB is ${toMib(requested)} MiB, but this process may only use ${toMib(memory)} MiB: ` +
        'lower it, or give the process more memory.',
    )
  }
  return requested
}

/** Returns the memory limit of this process in bytes, from the system or the container. */
export function memoryMax(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}

function toMib(bytes: number): number {
  return Math.floor(bytes / 2 ** 20)
}
