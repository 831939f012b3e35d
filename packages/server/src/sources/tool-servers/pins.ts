import { appendAudit } from '../../db/audit.ts'
import type { JsonObject } from '../../db/json-object.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { McpTool } from '../connectors/pull.ts'
import { type ToolPin, toolPinsOf } from '../registry/store.ts'

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
