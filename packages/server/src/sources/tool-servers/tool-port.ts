import { setTimeout as sleep } from 'node:timers/promises'
import { MS_PER_SECOND } from '../../base/clock.ts'
import { openSafeFetch, type SafeFetch } from '../../base/safe-fetch.ts'
import type { Config } from '../../config/config.ts'
import type { Row } from '../../db/tables.ts'
import type { Planes } from '../../store/planes.ts'
import type { RateSubject, Rates } from '../../tenancy/limits/rates.ts'
import { providerKey, USER_MCP } from '../connectors/connector-for.ts'
import { ANSWER_BYTES_MAX, ANSWER_MS_MAX } from '../connectors/mcp/mcp-session.ts'
import type { ToolServerPort } from '../connectors/pull.ts'
import { toolPinsOf } from '../registry/store.ts'
import { isApproved, notePins, pinsAfter } from './pins.ts'
import { serverOf, settingsIn } from './settings.ts'

/** Where the tracker's server of tools is, and the way to it. */
export interface Tracker {
  readonly url: string
  readonly fetch: typeof globalThis.fetch
}

/** What a pull from a tool server needs. */
export interface ToolServers {
  readonly rates: Rates
  readonly network: SafeFetch
  readonly tracker: Tracker
}

/** By what a pull acts, in the audit log. */
const PULL = 'pull'
const CAP_DEFAULT = 60

/** The way to servers of tools: 4 MiB and 10 s for an answer, which comes as it arrives. */
export function toolFetch(network: SafeFetch): typeof globalThis.fetch {
  return network.streaming({ bytesMax: ANSWER_BYTES_MAX, totalMs: ANSWER_MS_MAX })
}

/** The calls of a source's tools, counted by the minute over all processes by the database's time. */
export function callRate(source: Pick<Row<'source'>, 'user_id' | 'sandbox_id' | 'id' | 'adapter_config'>): RateSubject {
  const cap = source.adapter_config.rate_cap_per_minute
  return {
    userId: source.user_id,
    sandboxId: source.sandbox_id,
    subjectId: source.id,
    kind: 'tool_calls',
    limit: typeof cap === 'number' ? cap : CAP_DEFAULT,
  }
}

/** What the pull of one source from a server of tools is given. */
export function toolPortFor(
  planes: Pick<Planes, 'sql' | 'clock'>,
  { rates, network, tracker }: ToolServers,
  source: Row<'source'>,
  signal: AbortSignal,
): ToolServerPort {
  const isTracker = providerKey(source.provider) !== USER_MCP
  return {
    fetch: isTracker ? tracker.fetch : toolFetch(network),
    serverFor: (token) => {
      if (isTracker) return { url: tracker.url, auth: token ? { kind: 'bearer', token } : { kind: 'none' } }
      return serverOf(settingsIn(source.adapter_config), token)
    },
    approve: async (tools) => {
      const pins = pinsAfter(toolPinsOf(source), tools)
      const by = { now: planes.clock.now(), actorId: source.user_id, credentialId: PULL, requestId: PULL }
      if (pins) await planes.sql.transact(source.user_id, (tx) => notePins(tx, source, pins, by))
      return new Set(tools.filter((tool) => isApproved(toolPinsOf(source), tool)).map(({ name }) => name))
    },
    takeCall: async () => {
      for (;;) {
        const { granted, resetSeconds } = await rates.takeOne(callRate(source))
        if (granted > 0) return
        await sleep((resetSeconds || 1) * MS_PER_SECOND, undefined, { signal })
      }
    },
  }
}

/**
 * The issue tracker's tool server with a network of its own, which `close` ends. Whoever runs the service may say that
 * it is on this machine; nobody else can have it called elsewhere.
 */
export function openTracker({ trackerUrl: url, allowLoopback }: Config): Tracker & { close(): Promise<void> } {
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname)
  const network = openSafeFetch({ allowLoopback: allowLoopback || isHere })
  return { url, fetch: toolFetch(network), close: () => network.close() }
}
