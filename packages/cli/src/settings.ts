import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Access } from '@cairn/contract'
import { usageFailure } from './failure.ts'

/** Where the service is, and what opens it. */
export interface Settings {
  /** Without a slash at its end. */
  url: string
  key: string
  /** The name of the setting, or of the file, that the key came from. */
  keyName: string
}

type KeyName = 'CAIRN_API_KEY' | 'CAIRN_ADMIN_KEY'

/** Where `npm start` serves when nothing else is set. */
export const DEFAULT_URL = 'http://127.0.0.1:8484'

const HOW_TO_GET: Record<KeyName, string> = {
  CAIRN_API_KEY: 'the API key of your account; the first one is printed when the service first starts.',
  CAIRN_ADMIN_KEY:
    "the operator's key. An embedded service keeps it in its data folder: CAIRN_ADMIN_KEY=$(cat data/admin.key)",
}

/**
 * What the environment says for an operation of this access; throws a usage Failure for what is missing or wrong. The
 * operator's key of the data folder stands in for one that is not set, towards a service on this machine alone.
 */
export function readSettings(access: Access, env: NodeJS.ProcessEnv = process.env): Settings {
  const setting = access === 'admin' ? 'CAIRN_ADMIN_KEY' : 'CAIRN_API_KEY'
  const url = readUrl(env.CAIRN_URL?.trim() || DEFAULT_URL)
  const set = env[setting]?.trim()
  const found = set ? { key: set, keyName: setting } : access === 'admin' && isHere(url) ? readKept(env) : undefined
  if (!found) throw usageFailure(`This needs a key. Set ${setting} to ${HOW_TO_GET[setting]}`)
  if (!/^[\x21-\x7e]+$/.test(found.key)) throw usageFailure(`${found.keyName} holds characters that no key has.`)
  return { url, ...found }
}

function isHere(url: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)
}

/** The operator's key as an embedded service keeps it. */
function readKept(env: NodeJS.ProcessEnv): { key: string; keyName: string } | undefined {
  const path = resolve(env.CAIRN_DATA?.trim() || 'data', 'admin.key')
  try {
    return { key: readFileSync(path, 'utf8').trim(), keyName: path }
  } catch {
    return undefined
  }
}

function readUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isPlain = url && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!isPlain || !['http:', 'https:'].includes(url.protocol)) {
    throw usageFailure(`CAIRN_URL must be the address of the service, like ${DEFAULT_URL}, and nothing more.`)
  }
  return url.href.replace(/\/+$/, '')
}
