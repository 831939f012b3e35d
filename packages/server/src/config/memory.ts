import { totalmem } from 'node:os'
import { ConfigError } from './config-error.ts'

/** Of what this process may have, the rest is for the engines, for requests and for what Node keeps around them. */
const GRAPHS_SHARE = 0.5

/**
 * How many bytes graphs may take of a process's `memory`: what the setting asks for, or half of it. Throws ConfigError
 * when the process could not have it.
 */
export function graphBytesFor(asked: number | null, memory = memoryMax()): number {
  if (asked === null) return Math.floor(memory * GRAPHS_SHARE)
  if (asked > memory) {
    throw new ConfigError(
      `CAIRN_GRAPH_MIB asks for ${toMib(asked)} MiB, and this process may have ${toMib(memory)}: ` +
        'lower it, or give the process more memory.',
    )
  }
  return asked
}

/** Bytes of memory that the system, or the container, lets this process have. */
export function memoryMax(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}

function toMib(bytes: number): number {
  return Math.floor(bytes / 2 ** 20)
}
