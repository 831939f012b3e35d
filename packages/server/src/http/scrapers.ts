import { systemOperations } from '@cairnstore/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sameDigest, sha256 } from '../base/digest.ts'
import { Fault } from '../base/fault.ts'
import { type Authenticate, bearerOf, isLoopback } from './authenticate.ts'

/** Who may read the metrics beside the operator. */
export interface ScraperRules {
  /** The sha256 of the key that opens them and nothing else; null: there is none. */
  keyHash: Uint8Array | null
  /** Whether everybody may. */
  isOpen: boolean
}

/** What the rules for scrapers go by, beside themselves. */
interface Scraped {
  authenticate: Authenticate
  /** Whether a proxy is configured, so that a connection does not say who asks. */
  hasProxy: boolean
}

const UNAUTHORIZED =
  'Send CAIRN_METRICS_KEY or the admin key as `Authorization: Bearer`. Without one only this machine is answered.'
/** The headers by which proxies say for whom they ask. */
const FORWARDING = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/

/** Has the metrics answer the operator, who has their key, and who asks from this machine itself. */
export function admitScrapers(server: FastifyInstance, rules: ScraperRules, scraped: Scraped): void {
  const admit = async (request: FastifyRequest) => {
    if (!(await mayScrape(request, rules, scraped))) throw new Fault('unauthorized', { detail: UNAUTHORIZED })
  }
  server.addHook('onRequest', (request, _, done) => {
    const isAsked = request.routeOptions.url === systemOperations.getMetrics.path
    if (isAsked && !rules.isOpen) admit(request).then(() => done(), done)
    else done()
  })
}

async function mayScrape(request: FastifyRequest, { keyHash }: ScraperRules, scraped: Scraped): Promise<boolean> {
  const { headers, raw, ip, socket } = request
  if (headers.authorization === undefined) {
    const isForwarded = Object.keys(headers).some((name) => FORWARDING.test(name))
    return !scraped.hasProxy && !isForwarded && isLoopback(socket.remoteAddress)
  }
  const token = bearerOf(raw)
  if (token === undefined) return false
  if (keyHash !== null && sameDigest(sha256(token), keyHash)) return true
  return (await scraped.authenticate(token, ip))?.credential.kind === 'admin_key'
}
