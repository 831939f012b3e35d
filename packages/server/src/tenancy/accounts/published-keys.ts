import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import { Fault } from '../../base/fault.ts'
import { timeoutSignal } from '../../base/timeout-signal.ts'
import type { Planes } from '../planes.ts'

/** Published keys are asked for again when they are older, so that a withdrawn one is not believed for longer. */
const FRESH_MS = 5 * 60 * 1000
/** While the issuer cannot be reached its last keys are believed for so long. */
const STALE_MS_MAX = 24 * 60 * 60 * 1000
/** The issuer is not asked more often, whatever keys tokens name. */
const COOLDOWN_MS = 10_000
const FETCH_TIMEOUT_MS = 5_000
const BYTES_MAX = 256 * 1024

type KeySet = ReturnType<typeof createLocalJWKSet>

/**
 * Finds the key of a token among those that the issuer publishes at one fixed address; what a token itself says about
 * keys and where they are is not looked at. The finder throws jose's errors for a token without a key there, and
 * `unavailable` when the issuer cannot be asked and its last keys do not answer.
 */
export function openPublishedKeys(url: string, { clock, log }: Pick<Planes, 'clock' | 'log'>): JWTVerifyGetKey {
  let keys: { find: KeySet; at: number } | undefined
  let asked = { at: Number.NEGATIVE_INFINITY, failed: false }
  let asking: Promise<void> | undefined
  const now = () => clock.now().getTime()
  const ask = async () => {
    try {
      keys = { find: createLocalJWKSet(await fetchKeys(url)), at: now() }
      asked = { at: now(), failed: false }
    } catch (error) {
      asked = { at: now(), failed: true }
      log.warn('the token issuer’s keys cannot be fetched', { error })
    }
  }
  const refresh = async () => {
    if (now() - asked.at < COOLDOWN_MS) return
    asking ??= ask().finally(() => {
      asking = undefined
    })
    await asking
  }
  return async (header, token) => {
    if (!keys || now() - keys.at >= FRESH_MS) await refresh()
    if (!keys || now() - keys.at >= STALE_MS_MAX) throw unreachable()
    try {
      return await keys.find(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      await refresh()
      // A key that we could not ask for may be a good one.
      if (asked.failed) throw unreachable()
      return keys.find(header, token)
    }
  }
}

function unreachable(): Fault {
  return new Fault('unavailable', { detail: 'The token issuer’s keys cannot be fetched; try again shortly.' })
}

async function fetchKeys(url: string): Promise<Parameters<typeof createLocalJWKSet>[0]> {
  const answer = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/json' },
    signal: timeoutSignal(FETCH_TIMEOUT_MS),
  })
  if (answer.status !== 200 || !answer.body) throw new Error(`the issuer answered ${answer.status}`)
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of answer.body) {
    bytes += part.byteLength
    if (bytes > BYTES_MAX) throw new Error(`the issuer’s keys are larger than ${BYTES_MAX} bytes`)
    parts.push(part)
  }
  return JSON.parse(Buffer.concat(parts).toString('utf8'))
}
