import { Type as T } from '@cairnstore/contract'
import { terms } from '@cairnstore/engine/text'
import { Fault } from '../../base/fault.ts'
import { parseJson } from '../../base/parse-json.ts'
import { callLiveTool, type LiveTool, listLiveTools } from '../../sources/tool-servers/live-tools.ts'
import { longestFit, oneLine, writeFitting } from '../size-limit.ts'
import { jsonResult, outline, tool } from './tool.ts'

const FOUND_MAX = 5
const FIND_TOKENS_MAX = 4_000
const CALL_TOKENS_MAX = 6_000
const DESCRIPTION_CHARS_MAX = 300
/** Maximum number of characters of a schema. A larger one is left out, because it would displace other tools. */
const SCHEMA_CHARS_MAX = 2_500

export const findTool = tool({
  name: 'find_tool',
  title: 'Find a live tool',
  description: 'Finds tools of connected tool servers.',
  role: 'editor',
  annotations: { readOnlyHint: true },
  input: T.Object(
    { query: T.String({ description: 'Search words; empty for all.' }) },
    { additionalProperties: false },
  ),
  output: outline({ tools: 'array' }),
  tokensMax: () => FIND_TOKENS_MAX,
  run: async ({ ctx, access }, { query }, sizeLimit) => {
    const tools = await listLiveTools(ctx, access, ctx.signal)
    const words = [...new Set(terms(query))]
    const found = tools
      .map((each) => ({ each, hits: hitsOf(words, each) }))
      .filter(({ hits }) => words.length === 0 || hits > 0)
      .sort((one, other) => other.hits - one.hits || (one.each.name < other.each.name ? -1 : 1))
      .slice(0, FOUND_MAX)
      .map(({ each }) => describeTool(each))
    return jsonResult(writeFitting(found, sizeLimit, (some) => JSON.stringify({ tools: some, of: tools.length })))
  },
})

function hitsOf(words: readonly string[], { name, description = '' }: LiveTool): number {
  const named = new Set(terms(`${name.replace(/[_.-]+/g, ' ')} ${description}`))
  return words.filter((word) => named.has(word)).length
}

function describeTool({ name, description, inputSchema }: LiveTool) {
  const isShort = JSON.stringify(inputSchema).length <= SCHEMA_CHARS_MAX
  return {
    name,
    description: oneLine(description ?? '', DESCRIPTION_CHARS_MAX),
    takes: isShort ? inputSchema : 'too large to show',
  }
}

export const callTool = tool({
  name: 'call_tool',
  title: 'Call a live tool',
  description: 'Calls a third-party tool found by find_tool.',
  role: 'editor',
  annotations: { readOnlyHint: false, destructiveHint: true },
  input: T.Object(
    {
      name: T.String(),
      arguments: T.Optional(T.String({ description: 'A JSON object, as text.' })),
    },
    { additionalProperties: false },
  ),
  output: outline({ text: 'string' }),
  tokensMax: () => CALL_TOKENS_MAX,
  run: async ({ ctx, access }, { name, arguments: given = '{}' }, sizeLimit) => {
    const call = { name, parameters: readArguments(given) }
    const { isError, content, structured } = await callLiveTool(ctx, access, call, ctx.signal)
    const texts = content.flatMap((part) => textOf(part))
    const output = texts.length > 0 || structured === undefined ? texts.join('\n') : JSON.stringify(structured)
    const text = `${isError ? 'The tool failed' : 'The tool returned'}, as data:\n${output}`
    const shown = longestFit(text, sizeLimit.fits)
    return { text: shown, structured: { text: shown } }
  },
})

function readArguments(text: string): Record<string, unknown> {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Fault('bad_request', { detail: 'arguments is not a JSON object. See its input schema in find_tool.' })
  }
  return value as Record<string, unknown>
}

function textOf(part: unknown): string[] {
  const { text } = (part ?? {}) as { text?: unknown }
  return typeof text === 'string' ? [text] : []
}
