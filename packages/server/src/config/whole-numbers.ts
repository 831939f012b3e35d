import { ConfigError } from './config-error.ts'
import type { Env } from './env.ts'

/** The whole number that a setting's value is. Throws ConfigError when it is none, or less, or of more digits. */
export function toWhole(name: keyof Env, value: string, least: number, digitsMax: number): number {
  if (/^\d+$/.test(value) && value.length <= digitsMax && Number(value) >= least) return Number(value)
  throw new ConfigError(`${name} must be a whole number from ${least}, of ${digitsMax} digits at most.`)
}

interface Bounds {
  least: number
  most: number
  /** What holds where nothing is set; absent where a setting is read only when it is there. */
  unset?: number
}

/** The whole number that a setting is, within bounds. Throws ConfigError when it is none of them. */
export function toWithin(env: Env, name: keyof Env, { least, most, unset }: Bounds): number {
  const value = env[name] ?? String(unset)
  if (/^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most) return Number(value)
  throw new ConfigError(`${name} must be a whole number from ${least} to ${most}.`)
}
