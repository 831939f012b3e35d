import type { Access } from '@cairn/contract'
import { usageFailure } from './failure.ts'

/** Where the service is, and what opens it. */
export interface Settings {
  /** Without a slash at its end. */
  url: string
  key: string
  /** The name of the setting that the key came from. */
  keyName: KeyName
}

type KeyName = 'CAIRN_API_KEY' | 'CAIRN_ADMIN_KEY'

/** Where `npm start` serves when nothing else is set. */
export const DEFAULT_URL = 'http://127.0.0.1:8484'

const HOW_TO_GET: Record<KeyName, string> = {
  CAIRN_API_KEY: 'the API key of your account; the first one is printed when the service first starts.',
  CAIRN_ADMIN_KEY:
    "the operator's key. An embedded service keeps it in its data folder: CAIRN_ADMIN_KEY=$(cat data/admin.key)",
}

/** What the environment says for an operation of this access; throws a usage Failure for what is missing or wrong. */
export function readSettings(access: Access, env: NodeJS.ProcessEnv = process.env): Settings {
  const keyName = access === 'admin' ? 'CAIRN_ADMIN_KEY' : 'CAIRN_API_KEY'
  const key = env[keyName]?.trim()
  if (!key) throw usageFailure(`This needs a key. Set ${keyName} to ${HOW_TO_GET[keyName]}`)
  if (!/^[\x21-\x7e]+$/.test(key)) throw usageFailure(`${keyName} holds characters that no key has.`)
  return { url: readUrl(env.CAIRN_URL?.trim() || DEFAULT_URL), key, keyName }
}

function readUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isPlain = url && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!isPlain || !['http:', 'https:'].includes(url.protocol)) {
    throw usageFailure(`CAIRN_URL must be the address of the service, like ${DEFAULT_URL}, and nothing more.`)
  }
  return url.href.replace(/\/+$/, '')
}
