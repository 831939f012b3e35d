// A model on loopback for trying adapters: it calls the tool `ask` with the question where it is offered it, and
// repeats what it was told otherwise. It speaks the two interfaces of OpenAI that SDKs use, each in one piece.
import { createServer } from 'node:http'

/** @typedef {{ role?: string, type?: string, content?: unknown, output?: unknown }} Turn */
/** @typedef {{ name: string, arguments: string }} Call */
/** @typedef {{ text: string, call?: undefined } | { call: Call, text?: undefined }} Said */

/** The words of a turn, whose content is a text, or a list of parts. @param {unknown} content @returns {string} */
function wordsOf(content) {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map((part) => wordsOf(part.text ?? part)).join('\n')
  return content === undefined ? '' : JSON.stringify(content)
}

/**
 * What the model says next: a call of `ask` with what the user asked, or, once it was given something, that.
 * @param {Turn[]} turns @param {string[]} tools
 * @returns {Said}
 */
function nextOf(turns, tools) {
  const last = turns.at(-1)
  if (last?.role === 'tool' || last?.type === 'function_call_output') {
    return { text: `I was told: ${wordsOf(last.content ?? last.output)}` }
  }
  const asked = wordsOf(last?.content)
  if (tools.includes('ask')) return { call: { name: 'ask', arguments: JSON.stringify({ question: asked }) } }
  return { text: `I was told: ${turns.map(({ content }) => wordsOf(content)).join('\n')}` }
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
 * Opens it, and counts what it is asked by path.
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
    const told = path === 'responses' ? asResponse(said, body.model) : asCompletion(said, body.model)
    reply.setHeader('content-type', 'application/json')
    reply.end(JSON.stringify(told))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { url: `http://127.0.0.1:${port}/v1`, asked, close: () => server.close() }
}
