import type { Operations, Role, Static, TSchema } from '@cairnstore/contract'
import type { AnswerApp } from '../../answer/context.ts'
import { type Check, checkAll } from '../../base/check.ts'
import type { LifecycleApp } from '../../lifecycle/context.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import type { HandlersOf } from '../../tenancy/handler.ts'
import type { CallingRequest } from '../../tenancy/request.ts'
import { type SizeLimit, sizeLimitOf } from '../size-limit.ts'

/** Options of the MCP endpoint, from its URL and the caller's credential. */
interface EndpointOptions {
  /** Project to which results are limited; null for the caller's whole access scope. */
  readonly project: string | null
  /** True if tools that write are not offered. */
  readonly isReadOnly: boolean
  /** True if the tools of the sandbox's tool servers are offered too. */
  readonly isLive: boolean
  /** True if the URL names no sandbox, so that the caller's primary one is used. */
  readonly isPrimary: boolean
}

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
  | 'findProfile'
  | 'oauth'
  | 'operation'
  | 'publicUrl'
  | 'rates'
  | 'requestId'
  | 'secrets'
  | 'signal'
  | 'sql'
>

/** Request context, access scope and endpoint options of a tool. */
export interface ToolContext {
  readonly ctx: ToolCtx
  readonly access: AccessScope
  readonly endpoint: EndpointOptions
}

/** Hints for hosts about a tool's behavior. */
interface Annotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  /** True if other services are involved; true if omitted. */
  readonly openWorldHint?: boolean
}

interface ToolDeclaration<S extends TSchema> {
  readonly name: string
  readonly title: string
  readonly description: string
  /**
   * Input schema. It consists of objects, strings, integers, booleans and lists of them, because strict hosts reject
   * formats, patterns and unions.
   */
  readonly input: S
  /** Schema that outlines the structured part of the result. */
  readonly output: TSchema
  /** Minimum role in the sandbox. */
  readonly role: Role
  readonly annotations: Annotations
  /** Maximum size of a result, in tokens (UTF-8 bytes / 4). */
  readonly tokensMax: (args: Static<S>) => number
  /** Returns the result. Each part of it must fit the size limit. */
  readonly run: (using: ToolContext, args: Static<S>, sizeLimit: SizeLimit) => Promise<ToolResult>
}

/** Result of a tool: as text for models, and as structured data for programs. */
export interface ToolResult {
  readonly text: string
  readonly structured: Record<string, unknown>
}

/**
 * Returns a schema that has only the main fields of a result. It must be short, because hosts send the schemas of all
 * tools to their model with each question.
 */
export function outline(fields: Readonly<Record<string, 'string' | 'array'>>): TSchema {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, { type }]))
  return { type: 'object', properties }
}

/** Returns a result whose text is this JSON, and whose structured part is the parsed value. */
export function jsonResult(text: string): ToolResult {
  return { text, structured: JSON.parse(text) }
}

/** A tool with untyped arguments. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: TSchema
  readonly output: TSchema
  readonly role: Role
  readonly annotations: Annotations
  readonly check: Check
  /** Runs the tool with arguments that `check` accepted. */
  readonly run: (using: ToolContext, args: unknown) => Promise<ToolResult>
}

/** Declares a tool and compiles its schema. */
export function tool<S extends TSchema>({ tokensMax, run, ...declared }: ToolDeclaration<S>): Tool {
  return {
    ...declared,
    check: checkAll(declared.input, []),
    run: (using, args) => run(using, args as Static<S>, sizeLimitOf(tokensMax(args as Static<S>))),
  }
}

export const READS = { readOnlyHint: true, openWorldHint: false } as const

/** Services shared by `mcp/` and all modules below it. */
interface McpApp extends LifecycleApp, AnswerApp {}

export interface McpCtx extends McpApp, CallingRequest {}

export type McpHandlers<Ops extends Operations> = HandlersOf<Ops, McpCtx>
