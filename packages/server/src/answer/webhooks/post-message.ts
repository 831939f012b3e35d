import { randomBytes } from 'node:crypto'
import { retryAfterMs } from '../../base/backoffs.ts'
import { MS_PER_SECOND } from '../../base/clock.ts'
import { hmacSha256 } from '../../base/digest.ts'
import { PullFailure } from '../../base/pull-failure.ts'
import type { SafeFetch } from '../../base/safe-fetch.ts'
import type { Tx } from '../../db/open.ts'
import { type SecretPlace, type SecretStore, secretRef } from '../../tenancy/secrets/secret-store.ts'

/** Every reason for which a message can fail to arrive, with the sentence that says it. */
export const POST_FAILURES = {
  refused: 'The endpoint did not answer with a 2xx.',
  gone: 'The endpoint answered that it is gone (410).',
  redirected: 'The endpoint answered with another address; configure that one.',
  timeout: 'The endpoint took longer than 10 seconds to answer.',
  unreachable: 'The endpoint could not be reached, or broke off.',
  blocked_address: 'The address is inside a network and is not called.',
  misconfigured: 'The address is none that is called.',
} as const

/** A reason for which a message can fail to arrive. */
export type PostFailure = keyof typeof POST_FAILURES

/** How an attempt went; `reason` is null when the message arrived. */
export interface Posted {
  readonly statusCode: number | null
  readonly reason: PostFailure | null
  readonly retryAfterMs: number | undefined
  readonly durationMs: number
}

/** From the call to the end of the answer's head. */
const ANSWER_MS = 10_000
/** The body of the endpoint's answer is not read. */
const UNREAD = { bytesMax: 0, totalMs: ANSWER_MS }
const [OK, REDIRECT, GONE] = [200, 300, 410]

/** Sends a message once. What the endpoint answers is known by its status alone, and shown to nobody. */
export async function postMessage(
  network: SafeFetch,
  url: string,
  message: SignedMessage,
  secrets: readonly string[],
  signal: AbortSignal,
): Promise<Posted> {
  const began = performance.now()
  const took = () => Math.round(performance.now() - began)
  try {
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Cairn-Webhooks',
      ...signedHeaders(message, secrets),
    }
    const answer = await network.streaming(UNREAD)(url, { method: 'POST', headers, body: message.body, signal })
    await answer.body?.cancel().catch(() => undefined)
    const { status } = answer
    const reason = status >= OK && status < REDIRECT ? null : status === GONE ? 'gone' : 'refused'
    return { statusCode: status, reason, retryAfterMs: retryAfterMs(answer.headers), durationMs: took() }
  } catch (error) {
    if (!(error instanceof PullFailure)) throw error
    return { statusCode: null, reason: reasonOf(error), retryAfterMs: undefined, durationMs: took() }
  }
}

function reasonOf({ reason }: PullFailure): PostFailure {
  return reason in POST_FAILURES ? (reason as PostFailure) : 'unreachable'
}

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** Which of an endpoint's two secrets: the present one, or the one before it, in its grace. */
type SecretPurpose = 'signing' | 'previous'

/** A new signing secret, as Standard Webhooks spells one. */
export function newSigningSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** Where in the secret store an endpoint's secret is. */
export function signingRef(webhookId: string, purpose: SecretPurpose): string {
  return secretRef('webhook', webhookId, purpose)
}

/** Forgets both secrets of an endpoint. */
export async function dropSigningSecrets(
  secrets: SecretStore,
  tx: Tx,
  place: SecretPlace,
  webhookId: string,
): Promise<void> {
  for (const purpose of ['signing', 'previous'] as const)
    await secrets.destroy(tx, place, signingRef(webhookId, purpose))
}

/** What of a message its signature covers. */
interface SignedMessage {
  readonly id: string
  readonly at: Date
  readonly body: string
}

/** The three headers of a message, with one signature for each secret (Standard Webhooks 1.0, HMAC-SHA-256). */
function signedHeaders({ id, at, body }: SignedMessage, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / MS_PER_SECOND))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${hmacSha256(key, `${id}.${timestamp}.${body}`).toString('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
