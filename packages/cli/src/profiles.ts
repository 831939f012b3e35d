import { accessSync, chmodSync, constants, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { usageFailure } from './output.ts'

/** Address and key of one service. */
export interface Profile {
  url: string
  key?: string
  /** Default sandbox of commands that work inside one. */
  sandbox_id?: string
}

/** Content of the profiles file. */
export interface Profiles {
  /** Name of the profile that is used if none is given. */
  default: string
  profiles: Record<string, Profile>
}

export const DEFAULT_PROFILE = 'default'

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/
const OWNER_ONLY = 0o600
const OWNER_ONLY_FOLDER = 0o700
const OTHERS = 0o077
const JSON_INDENT = 2

/** Reads the profiles file. Returns no profiles if it does not exist. Throws a usage Failure if it is malformed. */
export function readProfiles(path: string): Profiles {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { default: DEFAULT_PROFILE, profiles: {} }
    throw usageFailure(
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code}). Change its owner or permissions.`,
    )
  }
  const found = parsed(text)
  if (!found) {
    throw usageFailure(`${path} is not a valid profiles file. Delete it and run \`cairn init\`.`)
  }
  return found
}

function parsed(text: string): Profiles | undefined {
  try {
    const { default: name, profiles } = JSON.parse(text) as Partial<Profiles>
    const isWhole =
      typeof name === 'string' && isObject(profiles) && Object.values(profiles).every((each) => isProfile(each))
    return isWhole ? { default: name, profiles } : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, Profile> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isProfile(value: unknown): boolean {
  if (!isObject(value)) return false
  const { url, key, sandbox_id: sandboxId } = value as Partial<Record<string, unknown>>
  return typeof url === 'string' && [key, sandboxId].every((each) => each === undefined || typeof each === 'string')
}

/** Returns the profile with this name; undefined if there is none. */
export function profileOf({ profiles }: Profiles, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined
}

/** Throws a usage Failure for an invalid profile name. */
export function assertProfileName(name: string): void {
  if (!NAME.test(name))
    throw usageFailure('A profile name may contain only letters, digits, dots, dashes and underscores.')
}

/** Checks in advance that this user can write the profiles file. Throws a usage Failure otherwise. */
export function assertWritable(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER })
    accessSync(dirname(path), constants.W_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw usageFailure(
      `${path} cannot be written (${code}). Set XDG_CONFIG_HOME to a folder that this user can write to.`,
    )
  }
}

/** Writes JSON to a file that only this user can read, atomically. */
export function writeOwn(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER })
  const next = `${path}.${process.pid}`
  writeFileSync(next, `${JSON.stringify(value, null, JSON_INDENT)}\n`, { mode: OWNER_ONLY })
  // An existing temporary file of this name would keep its old mode.
  chmodSync(next, OWNER_ONLY)
  renameSync(next, path)
}

/** Returns true if other users of this machine can read the file. Always false on Windows. */
export function isOpenToOthers(path: string): boolean {
  if (process.platform === 'win32') return false
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && (found.mode & OTHERS) !== 0
}
