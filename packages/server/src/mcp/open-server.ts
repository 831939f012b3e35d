import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { instructionsFor } from './instructions.ts'
import { getPrompt, listPrompts } from './prompts.ts'
import { RESOURCE_TEMPLATES, RESOURCES, readResource } from './resources.ts'
import { runTool } from './run-tool.ts'
import type { Using } from './tools/tool.ts'
import { toolsFor } from './tools/tools.ts'

const ABOUT = { name: 'cairn', title: 'Cairn', version: '0.1.0' }

/** The server of one request: what it offers is what the caller may use at this door. */
export function openServer(using: Using): Server {
  const server = new Server(ABOUT, {
    capabilities: { tools: {}, resources: {}, prompts: {} },
    instructions: instructionsFor(using.reach.sandbox.name),
  })
  const tools = toolsFor(using)
  server.setRequestHandler('tools/list', () => ({
    tools: tools.map(({ name, title, description, input, output, annotations }) => ({
      name,
      title,
      description,
      inputSchema: input as { type: 'object' },
      outputSchema: output as { type: 'object' },
      annotations,
    })),
  }))
  server.setRequestHandler('tools/call', ({ params: { name, arguments: args = {} } }) => {
    const tool = tools.find((each) => each.name === name)
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such tool here.')
    return runTool(using, tool, args)
  })
  server.setRequestHandler('resources/list', () => ({ resources: RESOURCES }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: RESOURCE_TEMPLATES }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => readResource(using, uri))
  server.setRequestHandler('prompts/list', () => ({ prompts: listPrompts() }))
  server.setRequestHandler('prompts/get', ({ params }) => getPrompt(params.name, params.arguments))
  return server
}
