import type { CallToolResult } from '@modelcontextprotocol/server'
import { Fault } from '../base/fault.ts'
import { recordingEvent } from '../tenancy/audit/record-event.ts'
import { readArguments } from './read-arguments.ts'
import type { Tool, Using } from './tools/tool.ts'

/**
 * Runs a tool. Its name is in the audit log before it changes anything, and before anything is answered. Arguments that
 * break a rule and faults are results that say what to do, so that who asked can do it.
 */
export async function runTool(using: Using, tool: Tool, given: unknown): Promise<CallToolResult> {
  const recorded = recordCall(using, tool.name)
  const { args, problems } = readArguments(tool.input, tool.check, given)
  // What only reads need not wait for the disk first.
  if (!tool.annotations.readOnlyHint || problems.length > 0) await recorded
  if (problems.length > 0) {
    return failure(`Arguments: ${problems.join(' ')}`)
  }
  const [ran] = await Promise.allSettled([tool.run(using, args), recorded])
  await recorded
  if (ran.status === 'rejected') return failure(explain(using, tool.name, ran.reason))
  const { text, structured } = ran.value
  return { content: [{ type: 'text', text }], structuredContent: structured }
}

/** Writes that something was called, by its name alone. */
export async function recordCall({ ctx, reach }: Using, name: string): Promise<void> {
  const { holderId, sandboxId } = reach
  // One round trip: beside a quick answer the three of a transaction would be felt.
  const event = recordingEvent(ctx, { holderId, sandboxId, subjectId: name })
  await ctx.sql.write(holderId, (tx) => tx.selectNoFrom(event.as('recorded')))
}

/** What a failure means for who called; what nobody named is in the log. */
export function explain({ ctx }: Using, name: string, cause: unknown): string {
  const fault = cause instanceof Fault ? cause : new Fault('internal_error', { cause })
  if (fault.code === 'internal_error') {
    ctx.log.error('tool failed', { operation: name, requestId: ctx.requestId, error: fault.cause ?? fault })
  }
  const rules = fault.problems?.map(({ loc, msg }) => `${loc.at(-1)}: ${msg}`) ?? []
  const wait = fault.retryAfterSeconds === undefined ? [] : [`Try again in ${fault.retryAfterSeconds} s.`]
  return [`${fault.reason ?? fault.code}: ${fault.detail}`, ...rules, ...wait, `(request ${ctx.requestId})`].join(' ')
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] }
}
