import { accessSync, chmodSync, constants, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { usageFailure } from './output.ts'

/** Where one service is, and what opens it. */
export interface Profile {
  url: string
  key?: string
  /** The sandbox that commands inside one work in. */
  sandbox_id?: string
}

/** What the file of profiles holds. */
export interface Profiles {
  /** The name of the one that is used when none is named. */
  default: string
  profiles: Record<string, Profile>
}

/** The name of the default profile. */
export const DEFAULT_PROFILE = 'default'

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/
const OWNER_ONLY = 0o600
const OWNER_ONLY_FOLDER = 0o700
const OTHERS = 0o077
const JSON_INDENT = 2

/** The profiles of this file; none where there is no file. Throws a usage Failure for one that holds something else. */
export function readProfiles(path: string): Profiles {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { default: DEFAULT_PROFILE, profiles: {} }
    throw usageFailure(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}). Make it this user's own.`)
  }
  const found = parsed(text)
  if (!found) {
    throw usageFailure(`${path} does not hold profiles. Delete it, and \`cairn init\` writes a new one.`)
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

/** The profile of this name, if there is one. */
export function profileOf({ profiles }: Profiles, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined
}

/** Throws a usage Failure for what cannot be the name of a profile. */
export function assertProfileName(name: string): void {
  if (!NAME.test(name)) throw usageFailure('The name of a profile is letters, digits, dots, dashes and underscores.')
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

/** Keeps the profiles in this file. */
export function writeProfiles(path: string, profiles: Profiles): void {
  writeOwn(path, profiles)
}

/** Keeps a value as JSON in a file that this user alone can read. A reader meanwhile sees the old or the new. */
export function writeOwn(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER })
  const next = `${path}.${process.pid}`
  writeFileSync(next, `${JSON.stringify(value, null, JSON_INDENT)}\n`, { mode: OWNER_ONLY })
  // A file of that name that was there before keeps its mode when it is written.
  chmodSync(next, OWNER_ONLY)
  renameSync(next, path)
}

/** Whether others of this machine can read the file. */
export function isOpenToOthers(path: string): boolean {
  if (process.platform === 'win32') return false
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && (found.mode & OTHERS) !== 0
}
