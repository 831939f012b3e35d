import { PullFailure } from '../../base/pull-failure.ts'
import { retryAfterMs } from '../../base/retry-after.ts'
import type { SafeFetch } from '../../base/safe-fetch.ts'
import { type SignedMessage, signedHeaders } from './signing.ts'

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
