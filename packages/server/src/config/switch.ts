import { ConfigError } from './config-error.ts'

/** Parses an on/off setting. Throws ConfigError for any other value. */
export function toSwitch(name: string, value = 'off'): boolean {
  const isOn = ['on', 'true', '1'].includes(value)
  if (!isOn && !['off', 'false', '0'].includes(value)) throw new ConfigError(`${name} must be on or off.`)
  return isOn
}
