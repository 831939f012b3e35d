import type { Operations, Role, Static, TSchema } from '@cairnstore/contract'
import type { AnswerApp } from '../../answer/context.ts'
import { type Check, checkAll } from '../../base/check.ts'
import type { LifecycleApp } from '../../lifecycle/context.ts'
import type { HandlersOf } from '../../tenancy/handler.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import type { CallingRequest } from '../../tenancy/request.ts'
import { type Room, roomFor } from '../room.ts'

/** The door that a request came through: what its address says. */
interface Door {
  /** The project that everything is narrowed to; null for the caller's whole reach. */
  readonly project: string | null
  /** Whether tools that write are offered. */
  readonly isReading: boolean
  /** Whether the tools of the sandbox's own servers of tools are offered too. */
  readonly isLive: boolean
  /** Whether it is the caller's primary sandbox, unnamed. */
  readonly isPrimary: boolean
}

/** What a tool uses of its request: the operations, and what is read beside them. */
export type ToolCtx = Pick<
  McpCtx,
  | 'call'
  | 'caller'
  | 'clock'
  | 'consoleUrl'
  | 'key'
  | 'knowledge'
  | 'log'
  | 'network'
  | 'oauth'
  | 'operation'
  | 'publicUrl'
  | 'rates'
  | 'requestId'
  | 'secrets'
  | 'signal'
  | 'sql'
>

/** What a tool works with: the request, the sandbox, and the door. */
export interface Using {
  readonly ctx: ToolCtx
  readonly reach: Reach
  readonly door: Door
}

/** What hosts are told of how a tool behaves. */
interface Annotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  /** Whether others than this service answer; true when omitted. */
  readonly openWorldHint?: boolean
}

interface Declared<S extends TSchema> {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Plain: objects, strings, integers, booleans, lists of them. Strict hosts refuse formats, patterns and unions. */
  readonly input: S
  /** What the structured part of a result holds, in outline. */
  readonly output: TSchema
  /** The role on the sandbox without which it is not offered. */
  readonly role: Role
  readonly annotations: Annotations
  /** What a result may hold, in tokens (UTF-8 bytes / 4). */
  readonly tokensMax: (args: Static<S>) => number
  /** The result, each of whose parts fits the room. */
  readonly run: (using: Using, args: Static<S>, room: Room) => Promise<ToolResult>
}

/** A result of a tool: for models that read text, and the same for programs. */
export interface ToolResult {
  readonly text: string
  readonly structured: Record<string, unknown>
}

/**
 * A schema that names the main fields of a result, and no more: hosts put the schemas of all tools before their model
 * with each question.
 */
export function outline(fields: Readonly<Record<string, 'string' | 'array'>>): TSchema {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, { type }]))
  return { type: 'object', properties }
}

/** A result whose text is JSON: its structured part is what the text says. */
export function toldAsJson(text: string): ToolResult {
  return { text, structured: JSON.parse(text) }
}

/** A tool, its arguments still unchecked. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: TSchema
  readonly output: TSchema
  readonly role: Role
  readonly annotations: Annotations
  readonly check: Check
  /** Runs it with arguments that the check found nothing wrong with. */
  readonly run: (using: Using, args: unknown) => Promise<ToolResult>
}

/** Declares a tool; its schema is compiled once. */
export function tool<S extends TSchema>({ tokensMax, run, ...declared }: Declared<S>): Tool {
  return {
    ...declared,
    check: checkAll(declared.input, []),
    run: (using, args) => run(using, args as Static<S>, roomFor(tokensMax(args as Static<S>))),
  }
}

/** A tool that changes nothing. */
export const READS = { readOnlyHint: true, openWorldHint: false } as const

/** What the rooms up to `mcp/` share: the whole program, and what is below it. */
interface McpApp extends LifecycleApp, AnswerApp {}

/** What a handler of this floor works with: the program as far as it sees it, and this request. */
export interface McpCtx extends McpApp, CallingRequest {}

/** A handler for each operation of a set; one that nobody answers does not compile. */
export type McpHandlers<Ops extends Operations> = HandlersOf<Ops, McpCtx>
