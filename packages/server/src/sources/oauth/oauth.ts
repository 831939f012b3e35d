import { PullFailure } from '../../base/pull-failure.ts'
import { assertAllowed, type SafeFetch } from '../../base/safe-fetch.ts'
import type { OAuthIssuer } from '../../config/oauth.ts'
import { openTokens, type TokenPlanes } from './access-token.ts'
import type { OAuth } from './oauth-port.ts'

/** Maximum size of a metadata document or token response, in bytes. */
const REPLY_BYTES_MAX = 256 * 1024
const REPLY_MS_MAX = 10_000

export interface OAuthSettings {
  readonly issuers: readonly OAuthIssuer[]
  readonly hasDocument: boolean
  readonly allowLoopback: boolean
}

/** Opens the OAuth client on a guarded network. */
export function openOAuth(planes: TokenPlanes, network: SafeFetch, settings: OAuthSettings): OAuth {
  const { issuers, hasDocument, allowLoopback } = settings
  const fetch = network.streaming({ bytesMax: REPLY_BYTES_MAX, totalMs: REPLY_MS_MAX })
  return {
    fetch,
    assertCallable: network.assertCallable,
    assertForBrowsers: (url) => {
      const isHttps = url.protocol === 'https:' && !url.username && !url.password
      if (isHttps) return
      if (!allowLoopback) throw new PullFailure('misconfigured')
      assertAllowed(url, true)
    },
    issuers,
    hasDocument,
    tokensOf: openTokens(planes, fetch, issuers),
  }
}
