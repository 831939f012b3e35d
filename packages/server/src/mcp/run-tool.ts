import type { CallToolResult } from '@modelcontextprotocol/server'
import { Fault } from '../base/fault.ts'
import { recordingEvent } from '../tenancy/audit/record-event.ts'
import { readArguments } from './read-arguments.ts'
import type { Tool, ToolContext } from './tools/tool.ts'

/**
 * Runs a tool. Its name is recorded in the audit log before it changes anything and before the result is returned. For
 * invalid arguments and for faults, the result is an error with instructions for the model.
 */
export async function runTool(using: ToolContext, tool: Tool, given: unknown): Promise<CallToolResult> {
  const recorded = recordCall(using, tool.name)
  const { args, problems } = readArguments(tool.input, tool.check, given)
  // A read-only tool may run while the audit event is being written.
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

/** Records a call in the audit log, with only the tool's name. */
export async function recordCall({ ctx, access }: ToolContext, name: string): Promise<void> {
  const { holderId, sandboxId } = access
  // Uses a single round trip. A transaction needs three, which would noticeably slow down a quick tool.
  const event = recordingEvent(ctx, { holderId, sandboxId, subjectId: name })
  await ctx.sql.write(holderId, (tx) => tx.selectNoFrom(event.as('recorded')))
}

/** Returns the error text for the caller. Logs an internal error. */
export function explain({ ctx }: ToolContext, name: string, cause: unknown): string {
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
