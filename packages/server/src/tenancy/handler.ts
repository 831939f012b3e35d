import type { Readable } from 'node:stream'
import type { Access, Operation, Operations, Static, StreamType, TSchema } from '@cairnstore/contract'
import type { AccessScope } from './access/access-scope.ts'

/** A record of a streamed body: its line number, from 1, and its value or parse error. */
export type Line = LinePosition & ({ value: unknown } | { error: { reason: string; detail: string } })

/** Position in a request body. */
export interface LinePosition {
  line: number
  /** Name of the file in an archive. */
  file?: string
}

/** Lines of a streamed body in order. Backpressure slows the sender; memory holds one chunk. */
export type Lines = AsyncIterable<Line>

/** An unparsed body, for an operation that chooses its format by the headers. */
export interface RawBody {
  /** All headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /**
   * Reads the whole body. Its memory counts against the account, or against the sender's address if there is none.
   * Throws `payload_too_large`, `request_timeout` if the body stalls, and `rate_limited` or `unavailable` if the memory
   * quota is full.
   */
  bytes(accountId?: string): Promise<Buffer>
  /** Reads and discards the body. Throws the same errors as `bytes`, so that a sender cannot distinguish the two. */
  discard(): Promise<void>
  /** Parses bytes as JSON. Characters that cannot be stored become U+FFFD. Throws the errors of a JSON body. */
  json(bytes: Buffer): unknown
}

/** A body that is neither JSON nor NDJSON. */
export interface Upload {
  /** Media type without parameters. */
  readonly type: string
  /** Chunks of the body. Throws `request_timeout` if the body stalls, and `bad_request` if it ends early. */
  readonly chunks: AsyncIterable<Buffer>
  /** Files of a form, in order, instead of `chunks`. Throws the same errors. */
  readonly parts?: AsyncIterable<UploadedFile>
}

/** A file of a form. Read it before the next one. */
export interface UploadedFile {
  /** File name from the sender; may be a path. */
  readonly name: string
  readonly chunks: AsyncIterable<Buffer>
}

/** Parsers for file contents, equal to those for bodies. */
export interface BodyParsers {
  /** Parses bytes as JSON. Characters that cannot be stored become U+FFFD. */
  json(bytes: Buffer): unknown
  /** Parses a stream as NDJSON. */
  lines(stream: Readable): Lines
}

type StaticOf<S> = S extends TSchema ? Static<S> : undefined
type AccessScopeOf<A extends Access> = A extends 'viewer' | 'editor' | 'owner' ? AccessScope : undefined
type JsonIn<B> = B extends { json: infer J } ? StaticOf<J> : undefined
type LinesOf<B> = B extends { ndjson: TSchema } ? Lines | undefined : undefined
type BodyOf<B> = B extends { ndjson: TSchema; json: infer J } ? StaticOf<J> | undefined : JsonIn<B>

/** Input of a handler, validated against the operation's schemas. */
export interface InputOf<O extends Operation> {
  /** Access scope of the caller; only operations inside a sandbox have it. */
  readonly access: AccessScopeOf<O['access']>
  readonly params: StaticOf<O['params']>
  readonly query: StaticOf<O['query']>
  /** The declared headers, unparsed. */
  readonly headers: StaticOf<O['headers']>
  /** JSON body; undefined if `lines` or `upload` is set. */
  readonly body: BodyOf<O['body']>
  /** NDJSON body, for an operation that accepts it. */
  readonly lines: LinesOf<O['body']>
  /** File body, for an operation that accepts files. */
  readonly upload: O['body'] extends { files: readonly string[] } ? Upload | undefined : undefined
  /** Parsers for the content of a file. */
  readonly reading: BodyParsers
  /** Unparsed body, for an operation that accepts bytes. */
  readonly raw: O['body'] extends { bytes: true } ? RawBody : undefined
  /** Time to wait for background work, and the stage to wait for. */
  readonly wait: Wait
  /** True if the caller accepts a streamed response. */
  readonly wantsStream: boolean
}

/** Time that a caller will wait for its data to be processed. */
export interface Wait {
  /** Seconds to wait, 0 to 60. */
  readonly seconds: number
  /** True to wait until records have vectors; false to wait only until they are found by keywords. */
  readonly isForVectors: boolean
}

export const NO_WAIT: Wait = { seconds: 0, isForVectors: false }

/** JSON response of an operation. */
export type ReplyOf<O extends Operation> =
  | JsonIn<O['reply']>
  | (O['reply'] extends { otherwise: { json: infer J } } ? StaticOf<J> : never)

/** Response headers. Only `set-cookie` may have several values. */
export type ReplyHeaders = Record<string, string | string[]>

/** A response with one of the operation's other statuses, or with extra headers. */
export class Reply<B> {
  readonly status: number
  readonly body: B
  readonly headers: ReplyHeaders

  constructor(status: number, body: B, headers: ReplyHeaders = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** Creates a response with a status, body and headers. */
export function reply<B>(status: number, body: B, headers?: ReplyHeaders): Reply<B> {
  return new Reply(status, body, headers)
}

/** One server-sent event. */
export interface Event {
  readonly event: string
  readonly data: unknown
}

/** A streamed response, written at the pace of the client. */
export class Stream {
  readonly type: StreamType
  readonly parts: AsyncIterable<unknown>
  readonly headers: Record<string, string>

  constructor(type: StreamType, parts: AsyncIterable<unknown>, headers: Record<string, string>) {
    this.type = type
    this.parts = parts
    this.headers = headers
  }
}

/** Creates a response of bytes, with the `content-type` of its headers. */
export function bytesOf(parts: AsyncIterable<Uint8Array>, headers: Record<string, string>): Stream {
  return new Stream('application/octet-stream', parts, headers)
}

/** Creates a response of server-sent events. An error ends it with `event: error` and the error's body. */
export function events(parts: AsyncIterable<Event>, headers: Record<string, string> = {}): Stream {
  return new Stream('text/event-stream', parts, headers)
}

/** Creates an NDJSON response. An error aborts the connection, so that the client notices the missing lines. */
export function jsonLines(parts: AsyncIterable<unknown>): Stream {
  return new Stream('application/x-ndjson', parts, {})
}

type StreamOf<R> = R extends { stream: StreamType } ? Stream : never
type TextOf<R> = R extends { text: string } | { isWritten: true } ? string | Reply<string | Buffer | undefined> : never
type JsonOf<O extends Operation> = O['reply'] extends { json: TSchema } ? ReplyOf<O> | Reply<ReplyOf<O>> : never
type EmptyOf<O extends Operation> = O extends { status: 204; reply: { otherwise: { json: infer J } } }
  ? Reply<StaticOf<J> | undefined>
  : never
type CtxOf<O extends Operation, C> = O['access'] extends 'public' | 'sender' ? Omit<C, 'caller'> : C

export type HandlerOf<O extends Operation, C> = (
  ctx: CtxOf<O, C>,
  input: InputOf<O>,
) => Promise<JsonOf<O> | TextOf<O['reply']> | StreamOf<O['reply']> | EmptyOf<O>>

/** One handler for each operation of a set. A missing handler is a compile error. */
export type HandlersOf<Ops extends Operations, C> = { readonly [K in keyof Ops]: HandlerOf<Ops[K], C> }
