import { setTimeout as sleep } from 'node:timers/promises'
import { MS_PER_SECOND } from '../../base/clock.ts'
import { openSafeFetch, type SafeFetch } from '../../base/safe-fetch.ts'
import type { Config } from '../../config/config.ts'
import { appendAudit } from '../../db/audit.ts'
import type { JsonObject } from '../../db/json-object.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { Planes } from '../../store/planes.ts'
import type { RateSubject, Rates } from '../../tenancy/limits/rates.ts'
import type { McpTool, ToolServerPort } from '../connectors/connector.ts'
import { providerKey, USER_MCP } from '../connectors/connector-for.ts'
import { ANSWER_BYTES_MAX, ANSWER_MS_MAX } from '../connectors/mcp/mcp-session.ts'
import { type ToolPin, toolPinsOf } from '../registry/store.ts'
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

/** What each tool was when it was approved. */
type ToolPins = Readonly<Record<string, ToolPin>>

/** Approves the tools as they are now. */
export function pinsOf(tools: readonly McpTool[]): Record<string, ToolPin> {
  return Object.fromEntries(tools.map(({ name, digest }) => [name, { digest }]))
}

/**
 * The pins after another look at the tools: one that is not as it was approved is marked, and stays so until someone
 * approves it anew, whatever it turns into; one that is new is approved as it is first seen. Undefined when nothing is
 * different.
 */
export function pinsAfter(before: ToolPins, tools: readonly McpTool[]): Record<string, ToolPin> | undefined {
  const after: Record<string, ToolPin> = { ...before }
  let isDifferent = false
  for (const { name, digest } of tools) {
    const pin = Object.hasOwn(before, name) ? before[name] : undefined
    if (pin && (pin.changed || pin.digest === digest)) continue
    after[name] = pin ? { ...pin, changed: true } : { digest }
    isDifferent = true
  }
  return isDifferent ? after : undefined
}

/** Whether a tool may be called as it is now. */
export function isApproved(pins: ToolPins, { name, digest }: McpTool): boolean {
  const pin = Object.hasOwn(pins, name) ? pins[name] : undefined
  return pin === undefined || (!pin.changed && pin.digest === digest)
}

/** Notes the pins at the source, with an event in its sandbox's audit log for each tool that is called no more. */
export async function notePins(
  tx: Tx,
  source: Pick<Row<'source'>, 'user_id' | 'sandbox_id' | 'id' | 'tool_pins'>,
  after: Record<string, ToolPin>,
  by: { now: Date; actorId: string; credentialId: string; requestId: string },
): Promise<void> {
  const before = toolPinsOf(source)
  const hasNewlyChanged = Object.entries(after).some(([name, pin]) => pin.changed && !before[name]?.changed)
  await tx
    .updateTable('source')
    .set({ tool_pins: after as JsonObject })
    .where(ofSandbox(source, { id: source.id }))
    .execute()
  if (!hasNewlyChanged) return
  await appendAudit(tx, {
    user_id: source.user_id,
    chain: source.sandbox_id,
    at: by.now,
    actor_user_id: by.actorId,
    credential_id: by.credentialId,
    event: 'source.tool_disabled',
    subject_id: source.id,
    request_id: by.requestId,
  })
}
