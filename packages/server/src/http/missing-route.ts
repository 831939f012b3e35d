import { type Operations, operations } from '@cairnstore/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import { writeFault } from './errors.ts'

/** What a browser is shown at an address of agents; the same whether the sandbox is there or not. */
const AGENT_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cairn: an address for agents</title>
</head>
<body>
<h1>This is an address for agents</h1>
<p>Here a sandbox of Cairn speaks the Model Context Protocol to Claude, Cursor, VS Code and other programs. There is
nothing to see in a browser: add this address to the program as an MCP server over HTTP, with your API key in the header
<code>Authorization: Bearer KEY</code>.</p>
<p>For programs that only start commands, <code>cairn mcp</code> does the same. The HTTP API is described at
<a href="/docs">/docs</a>.</p>
</body>
</html>
`

/** Answers requests for which nothing is mounted: a browser at an address of agents is told what that is. */
export function answerMissing(server: FastifyInstance, mounted: Operations, log: Log): void {
  const agentPaths = [operations.sendMcpMessage, operations.sendMcpMessagePrimary].map(patternOf)
  const isPersonAtAgents = ({ method, url, headers: { accept } }: FastifyRequest) =>
    method === 'GET' && accept?.includes('text/html') === true && agentPaths.some((each) => each.test(pathOf(url)))
  server.setNotFoundHandler((request, reply) => {
    if (!isPersonAtAgents(request)) return writeFault(missingRoute(mounted, request.url), request, reply, log)
    return reply.type('text/html; charset=utf-8').header('vary', 'Accept').send(AGENT_PAGE)
  })
}

/** 405 with the methods that a path has, 404 for a path that has none. */
function missingRoute(mounted: Operations, url: string): Fault {
  const methods = Object.values(mounted)
    .filter((operation) => patternOf(operation).test(pathOf(url)))
    .map((operation) => operation.method)
  if (methods.length === 0) return new Fault('not_found')
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods
  return new Fault('method_not_allowed', { headers: { allow: [...new Set(allowed)].sort().join(', ') } })
}

function patternOf({ path }: { path: string }): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? ''
}
