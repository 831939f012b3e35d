import type { Client } from '@modelcontextprotocol/client'
import type { ChatRequest, ChatTurn, OfferedTool, ToolCall } from './model-server.ts'

/** Maximum number of turns of an agent loop. */
const TURNS_MAX = 12
const TURN_MS_MAX = 60_000

/** Result of a loop: the model's final answer and all turns before it. */
export interface LoopEnd {
  answer: string
  turns: ChatTurn[]
  /** Tools that were offered to the model. */
  tools: OfferedTool[]
}

/**
 * Runs a standard agent loop. Lists the tools of a server, offers them to a model with a question, runs the requested
 * calls and returns their results to the model, until it writes an answer. Errors of a call are returned to the model,
 * as is usual. Throws if the model rejects a request or the loop exceeds TURNS_MAX.
 */
export async function runLoop(client: Client, modelUrl: string, question: string): Promise<LoopEnd> {
  const { tools: listed } = await client.listTools()
  const tools = listed.map(
    ({ name, description = '', inputSchema: parameters }): OfferedTool => ({
      type: 'function',
      function: { name, description, parameters },
    }),
  )
  const turns: ChatTurn[] = [
    { role: 'system', content: client.getInstructions() ?? '' },
    { role: 'user', content: question },
  ]
  for (let turn = 0; turn < TURNS_MAX; turn += 1) {
    const said = await complete(modelUrl, { model: 'm', messages: turns, tools })
    if (!said.tool_calls) return { answer: said.content, turns, tools }
    turns.push(said)
    for (const call of said.tool_calls) {
      turns.push({ role: 'tool', tool_call_id: call.id, content: await resultOf(client, call) })
    }
  }
  throw new Error(`no answer in ${TURNS_MAX} turns: ${JSON.stringify(turns)}`)
}

async function complete(modelUrl: string, request: ChatRequest): Promise<ChatTurn> {
  const response = await fetch(`${modelUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-none' },
    body: JSON.stringify(request),
    signal: AbortSignal.timeout(TURN_MS_MAX),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`the model answered ${response.status}: ${text}`)
  return (JSON.parse(text) as { choices: [{ message: ChatTurn }] }).choices[0].message
}

async function resultOf(client: Client, { function: { name, arguments: text } }: ToolCall): Promise<string> {
  try {
    const { content, isError } = await client.callTool({ name, arguments: JSON.parse(text) })
    const said = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
    return isError ? `error: ${said}` : said
  } catch (error) {
    return `error: ${(error as Error).message}`
  }
}
