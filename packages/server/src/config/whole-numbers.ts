import { ConfigError } from './config-error.ts'
import type { Env } from './env.ts'

/** Parses an integer setting. Throws ConfigError below `least` or with more than `digitsMax` digits. */
export function parseWholeNumber(name: keyof Env, value: string, least: number, digitsMax: number): number {
  if (/^\d+$/.test(value) && value.length <= digitsMax && Number(value) >= least) return Number(value)
  throw new ConfigError(`${name} must be a whole number from ${least}, of ${digitsMax} digits at most.`)
}

interface Bounds {
  least: number
  most: number
  /** Default value. Absent if the setting has none. */
  unset?: number
}

/** Reads an integer setting within bounds. Throws ConfigError if it is outside them. */
export function readWithinBounds(env: Env, name: keyof Env, { least, most, unset }: Bounds): number {
  const value = env[name] ?? String(unset)
  if (/^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most) return Number(value)
  throw new ConfigError(`${name} must be a whole number from ${least} to ${most}.`)
}
