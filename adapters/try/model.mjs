// A loopback model for testing adapters. It calls the tool `ask` with the question if the tool is offered; otherwise it
// repeats the given context. It implements OpenAI's two APIs that SDKs use, without streaming.
import { createServer } from 'node:http'

/** @typedef {{ role?: string, type?: string, content?: unknown, output?: unknown }} Turn */
/** @typedef {{ name: string, arguments: string }} Call */
/** @typedef {{ text: string, call?: undefined } | { call: Call, text?: undefined }} Said */

/**
 * Returns the text of a turn, whose content is a text or a list of parts. @param {unknown} content @returns {string}
 */
function wordsOf(content) {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map((part) => wordsOf(part.text ?? part)).join('\n')
  return content === undefined ? '' : JSON.stringify(content)
}

/**
 * Returns the model's next output: a call of `ask` with the user's question or, after a tool result, that result.
 * @param {Turn[]} turns @param {string[]} tools
 * @returns {Said}
 */
function nextOf(turns, tools) {
  const last = turns.at(-1)
  if (last?.role === 'tool' || last?.type === 'function_call_output') {
    return { text: `Received: ${wordsOf(last.content ?? last.output)}` }
  }
  const asked = wordsOf(last?.content)
  if (tools.includes('ask')) return { call: { name: 'ask', arguments: JSON.stringify({ question: asked }) } }
  return { text: `Received: ${turns.map(({ content }) => wordsOf(content)).join('\n')}` }
}

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const CALL_ID = 'call_1'

/** @param {Said} said @param {string} model */
function asCompletion({ text, call }, model) {
  const message = call
    ? { role: 'assistant', content: null, tool_calls: [{ id: CALL_ID, type: 'function', function: call }] }
    : { role: 'assistant', content: text }
  const choice = { index: 0, message, finish_reason: call ? 'tool_calls' : 'stop' }
  return { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model, choices: [choice], usage: USAGE }
}

/** @param {Said} said @param {string} model */
function asResponse({ text, call }, model) {
  const output = call
    ? { id: 'fc_1', type: 'function_call', call_id: CALL_ID, status: 'completed', ...call }
    : {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      }
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model,
    output: [output],
    parallel_tool_calls: false,
    tool_choice: 'auto',
    tools: [],
  }
}

/**
 * Starts the model. It counts its requests by path.
 * @returns {Promise<{ url: string, asked: Record<string, number>, close: () => void }>}
 */
export async function openModel() {
  /** @type {Record<string, number>} */
  const asked = {}
  const server = createServer(async (request, reply) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const path = (request.url ?? '').replace(/^.*\//, '')
    asked[path] = (asked[path] ?? 0) + 1
    const tools = (body.tools ?? []).map((/** @type {any} */ tool) => tool.function?.name ?? tool.name)
    const turns = body.messages ?? (typeof body.input === 'string' ? [{ content: body.input }] : body.input)
    const said = nextOf(turns, tools)
    const response = path === 'responses' ? asResponse(said, body.model) : asCompletion(said, body.model)
    reply.setHeader('content-type', 'application/json')
    reply.end(JSON.stringify(response))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { url: `http://127.0.0.1:${port}/v1`, asked, close: () => server.close() }
}
