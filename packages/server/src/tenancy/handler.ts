import type { Readable } from 'node:stream'
import type { Access, Operation, Operations, Static, StreamType, TSchema } from '@cairnstore/contract'
import type { Reach } from './reach/reach.ts'

/** A record of a streamed body: its line, counted from 1, and its value, or why it has none. */
export type Line = LinePlace & ({ value: unknown } | { error: { reason: string; detail: string } })

/** Where something stands in what was sent. */
export interface LinePlace {
  line: number
  /** The file of an archive. */
  file?: string
}

/** The lines of a streamed body as they arrive. Not reading slows the sender; memory holds one piece of the stream. */
export type Lines = AsyncIterable<Line>

/** A body as it comes, for an operation that decides by its headers what it takes. */
export interface RawBody {
  /** Every header, by its name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /**
   * Every byte, counted to the account that sends, or to the sender's address where none is known. Throws
   * `payload_too_large`, `request_timeout` when they do not come, and `rate_limited` and `unavailable` when there is no
   * room for more bodies.
   */
  bytes(accountId?: string): Promise<Buffer>
  /** Reads the bytes and keeps none, with the faults of `bytes`: a stranger cannot tell the one from the other. */
  forget(): Promise<void>
  /** The JSON value that bytes hold; characters that no store could give back become U+FFFD. Throws as a body does. */
  json(bytes: Buffer): unknown
}

/** A body that is neither JSON nor NDJSON, as it comes. */
export interface Upload {
  /** Its media type, without parameters. */
  readonly type: string
  /** Throws `request_timeout` when nothing comes for a while, and `bad_request` when it breaks off. */
  readonly chunks: AsyncIterable<Buffer>
  /** The files of a form, one after the other, in place of `chunks`; with its faults. */
  readonly parts?: AsyncIterable<UploadedFile>
}

/** A file of a form, to be read before the next. */
export interface UploadedFile {
  /** The name that its sender gives it, which may be a path. */
  readonly name: string
  readonly chunks: AsyncIterable<Buffer>
}

/** Reads bytes as bodies are read. */
export interface BodyReading {
  /** The JSON value that bytes hold; characters that no store could give back become U+FFFD. */
  json(bytes: Buffer): unknown
  /** The lines of NDJSON. */
  lines(stream: Readable): Lines
}

type Of<S> = S extends TSchema ? Static<S> : undefined
type ReachOf<A extends Access> = A extends 'viewer' | 'editor' | 'owner' ? Reach : undefined
type JsonIn<B> = B extends { json: infer J } ? Of<J> : undefined
type LinesOf<B> = B extends { ndjson: TSchema } ? Lines | undefined : undefined
type BodyOf<B> = B extends { ndjson: TSchema; json: infer J } ? Of<J> | undefined : JsonIn<B>

/** What a handler is given of a request, checked against the operation's schemas. */
export interface InputOf<O extends Operation> {
  /** Proof of the caller's access; only operations inside a sandbox have it. */
  readonly reach: ReachOf<O['access']>
  readonly params: Of<O['params']>
  readonly query: Of<O['query']>
  /** The declared headers, as they came. */
  readonly headers: Of<O['headers']>
  /** The JSON body; undefined when `lines` or `upload` is there. */
  readonly body: BodyOf<O['body']>
  /** The body when it came as NDJSON, to an operation that takes it. */
  readonly lines: LinesOf<O['body']>
  /** The body when it came as a file, to an operation that takes such. */
  readonly upload: O['body'] extends { files: readonly string[] } ? Upload | undefined : undefined
  /** Reads what is inside a file as a body is read. */
  readonly reading: BodyReading
  /** The body, to an operation that takes bytes. */
  readonly raw: O['body'] extends { bytes: true } ? RawBody : undefined
  /** How long the caller would wait for background work, and for which. */
  readonly wait: Wait
  /** Whether the caller accepts the operation's reply in parts. */
  readonly wantsStream: boolean
}

/** How long a caller would wait for what it sent. */
export interface Wait {
  /** From 0 to 60. */
  readonly seconds: number
  /** Until records have their vectors, and not only until they are found by words. */
  readonly isForReading: boolean
}

/** Nobody waits. */
export const NO_WAIT: Wait = { seconds: 0, isForReading: false }

/** What an operation answers. */
export type ReplyOf<O extends Operation> =
  | JsonIn<O['reply']>
  | (O['reply'] extends { otherwise: { json: infer J } } ? Of<J> : never)

/** The headers of a reply; only `set-cookie` may come several times. */
export type ReplyHeaders = Record<string, string | string[]>

/** A reply that says more than its body: another of the operation's statuses, or headers. */
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

/** A reply with this status, body and headers. */
export function reply<B>(status: number, body: B, headers?: ReplyHeaders): Reply<B> {
  return new Reply(status, body, headers)
}

/** One server-sent event. */
export interface Event {
  readonly event: string
  readonly data: unknown
}

/** A reply in parts, written as fast as the caller reads. */
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

/** A reply of server-sent events. A failure on the way ends it with `event: error` and the error's body. */
export function events(parts: AsyncIterable<Event>, headers: Record<string, string> = {}): Stream {
  return new Stream('text/event-stream', parts, headers)
}

/** A reply of JSON values, one a line. A failure on the way breaks the connection off, so that no end is mistaken. */
export function jsonLines(parts: AsyncIterable<unknown>, headers: Record<string, string> = {}): Stream {
  return new Stream('application/x-ndjson', parts, headers)
}

type StreamOf<R> = R extends { stream: StreamType } ? Stream : never
type TextOf<R> = R extends { text: string } | { isWritten: true } ? string | Reply<string | Buffer | undefined> : never
type JsonOf<O extends Operation> = O['reply'] extends { json: TSchema } ? ReplyOf<O> | Reply<ReplyOf<O>> : never
type EmptyOf<O extends Operation> = O extends { status: 204; reply: { otherwise: { json: infer J } } }
  ? Reply<Of<J> | undefined>
  : never
type CtxOf<O extends Operation, C> = O['access'] extends 'public' | 'sender' ? Omit<C, 'caller'> : C

/** Answers one operation. */
export type HandlerOf<O extends Operation, C> = (
  ctx: CtxOf<O, C>,
  input: InputOf<O>,
) => Promise<JsonOf<O> | TextOf<O['reply']> | StreamOf<O['reply']> | EmptyOf<O>>

/** A handler for each operation of a set; one that nobody answers does not compile. */
export type HandlersOf<Ops extends Operations, C> = { readonly [K in keyof Ops]: HandlerOf<Ops[K], C> }
