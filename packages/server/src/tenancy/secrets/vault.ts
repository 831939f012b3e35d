import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../../base/fault.ts'
import { timeoutSignal } from '../../base/timeout-signal.ts'
import type { VaultConfig } from '../../config/vault.ts'

/** The key-value engine, version 2, of a Vault or OpenBao server. Every call throws `unavailable` when it fails. */
export interface Vault {
  /** Adds a version of the value at the path, and reads it back; returns its number. */
  write(path: string, value: string): Promise<number>
  /** Reads the value of a version; undefined when there is none. */
  find(path: string, version: number): Promise<string | undefined>
  /** The names directly under a path; those that end in a slash have more under them. */
  list(path: string): Promise<string[]>
  /** The versions that hold a value, and when each was written. */
  versions(path: string): Promise<{ version: number; writtenAt: Date }[]>
  /** Makes these versions unreadable for good. */
  destroyVersions(path: string, versions: readonly number[]): Promise<void>
  /** Removes the path with every version. */
  remove(path: string): Promise<void>
}

/** A caller waits this long at most for one secret, all tries together. */
const TOTAL_MS_MAX = 4_500
/** A replica may not have yet what was just written. */
const RETRY_MS = [50, 200, 600] as const
const ANSWER_CHARS_MAX = 256 * 1024
const ABSENT = 404

interface VaultAnswer {
  status: number
  body: { data?: Record<string, unknown> } | undefined
}

type Ask = (method: string, path: string, body?: object) => Promise<VaultAnswer>

/** Opens the client. It follows no redirects, so that its token goes nowhere else. */
export function openVault({ address, mount, prefix, namespace }: VaultConfig, token: string): Vault {
  const headers = {
    'x-vault-token': token,
    'x-vault-request': 'true',
    'content-type': 'application/json',
    ...(namespace !== null && { 'x-vault-namespace': namespace }),
  }
  const asking = (signal = timeoutSignal(TOTAL_MS_MAX)): Ask => {
    return async (method, path, body) => {
      try {
        const init = {
          method,
          headers,
          signal,
          redirect: 'error' as const,
          ...(body && { body: JSON.stringify(body) }),
        }
        const reply = await fetch(`${address}/v1/${mount}/${path}`, init)
        const text = await reply.text()
        if (text.length > ANSWER_CHARS_MAX) throw new Error('The vault answered too much.')
        if (!reply.ok && reply.status !== ABSENT) throw new Error(`The vault answered ${reply.status}.`)
        return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) }
      } catch (cause) {
        throw new Fault('unavailable', { note: 'the secret store cannot serve', cause })
      }
    }
  }
  const read = async (ask: Ask, path: string, version: number): Promise<string | undefined> => {
    const { status, body } = await ask('GET', `data/${prefix}/${path}?version=${version}`)
    const value = status === ABSENT ? undefined : (body?.data?.data as { value?: unknown } | null)?.value
    return typeof value === 'string' ? value : undefined
  }
  const readPatiently = async (ask: Ask, path: string, version: number): Promise<string | undefined> => {
    for (const waitMs of RETRY_MS) {
      const value = await read(ask, path, version)
      if (value !== undefined) return value
      await sleep(waitMs)
    }
    return read(ask, path, version)
  }
  return {
    write: async (path, value) => {
      const ask = asking()
      const { body } = await ask('POST', `data/${prefix}/${path}`, { data: { value } })
      const version = body?.data?.version
      if (typeof version !== 'number') throw new Fault('unavailable', { note: 'the secret store named no version' })
      const kept = await readPatiently(ask, path, version)
      if (kept !== value) throw new Fault('unavailable', { note: 'the secret store does not have what it took' })
      return version
    },
    find: (path, version) => readPatiently(asking(), path, version),
    list: async (path) => {
      const { body } = await asking()('GET', `metadata/${prefix}/${path}?list=true`)
      const names = body?.data?.keys
      return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
    },
    versions: async (path) => {
      const { body } = await asking()('GET', `metadata/${prefix}/${path}`)
      const all = (body?.data?.versions ?? {}) as Record<string, { created_time: string; destroyed: boolean }>
      return Object.entries(all)
        .filter(([, { destroyed }]) => !destroyed)
        .map(([version, { created_time: at }]) => ({ version: Number(version), writtenAt: new Date(at) }))
    },
    destroyVersions: async (path, versions) => {
      if (versions.length > 0) await asking()('PUT', `destroy/${prefix}/${path}`, { versions })
    },
    remove: async (path) => {
      await asking()('DELETE', `metadata/${prefix}/${path}`)
    },
  }
}
