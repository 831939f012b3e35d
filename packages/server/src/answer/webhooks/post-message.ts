import { randomBytes } from 'node:crypto'
import { retryAfterMs } from '../../base/backoffs.ts'
import { MS_PER_SECOND } from '../../base/clock.ts'
import { hmacSha256 } from '../../base/digest.ts'
import { PullFailure } from '../../base/pull-failure.ts'
import type { SafeFetch } from '../../base/safe-fetch.ts'
import type { Tx } from '../../db/open.ts'
import { type SecretScope, type SecretStore, secretRef } from '../../tenancy/secrets/secret-store.ts'

/** Reasons for a failed delivery, with a sentence for each. */
export const POST_FAILURES = {
  refused: 'The endpoint did not respond with a 2xx status.',
  gone: 'The endpoint responded 410 (Gone).',
  redirected: 'The endpoint redirected to another address. Configure that address.',
  timeout: 'The endpoint took longer than 10 seconds to respond.',
  unreachable: 'The endpoint could not be reached, or it closed the connection.',
  blocked_address: 'The address is in a private network and is not allowed.',
  misconfigured: 'The address is not allowed.',
} as const

/** Reason for a failed delivery. */
export type PostFailure = keyof typeof POST_FAILURES

/** Result of an attempt. `reason` is null if the message was delivered. */
export interface Posted {
  readonly statusCode: number | null
  readonly reason: PostFailure | null
  readonly retryAfterMs: number | undefined
  readonly durationMs: number
}

/** Maximum milliseconds from sending the request to the end of the response headers. */
const ANSWER_MS = 10_000
/** The response body is not read. */
const UNREAD = { bytesMax: 0, totalMs: ANSWER_MS }
const [OK, REDIRECT, GONE] = [200, 300, 410]

/** Sends a message once. Of the response, only the status and the Retry-After header are used. */
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

/** Purpose of a secret: the current one, or the previous one during its grace period. */
type SecretPurpose = 'signing' | 'previous'

/** Returns a new signing secret in the format of Standard Webhooks. */
export function newSigningSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** Returns the secret store reference of a webhook's secret. */
export function signingRef(webhookId: string, purpose: SecretPurpose): string {
  return secretRef('webhook', webhookId, purpose)
}

/** Deletes both secrets of a webhook. */
export async function dropSigningSecrets(
  secrets: SecretStore,
  tx: Tx,
  place: SecretScope,
  webhookId: string,
): Promise<void> {
  for (const purpose of ['signing', 'previous'] as const)
    await secrets.destroy(tx, place, signingRef(webhookId, purpose))
}

/** The parts of a message that its signature covers. */
interface SignedMessage {
  readonly id: string
  readonly at: Date
  readonly body: string
}

/** Returns the three headers of a message, with one signature per secret (Standard Webhooks 1.0, HMAC-SHA-256). */
function signedHeaders({ id, at, body }: SignedMessage, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / MS_PER_SECOND))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${hmacSha256(key, `${id}.${timestamp}.${body}`).toString('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
