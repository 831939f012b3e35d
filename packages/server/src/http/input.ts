import { createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  BODY_BYTES_MAX,
  headersOf,
  type Operation,
  outcomeErrorOf,
  type Problem,
  type RequestBody,
  type TSchema,
} from '@cairnstore/contract'
import type { FastifyRequest } from 'fastify'
import { type Check, checkAll } from '../base/check.ts'
import { Fault, refusal, unsupportedMedia } from '../base/fault.ts'
import { type IfMatch, parseIfMatch } from '../db/versions.ts'
import { type BodyParsers, type Lines, NO_WAIT, type RawBody, type Upload, type Wait } from '../tenancy/handler.ts'
import { parseIdempotencyKey } from '../tenancy/idempotency/keyed-request.ts'
import type { BodyReservation, Reservation } from './body-quota.ts'
import { parseBody, parseForeign, readChunks, readLines, VALUES_MAX } from './parse-body.ts'
import { readBody } from './read-body.ts'
import { readForm } from './read-form.ts'
import { openUploadPace, type UploadPaceLimits } from './upload-pace.ts'

/** Timeouts for the body of a request. */
export interface InputTimeouts {
  /** Maximum milliseconds to read a JSON body. */
  bodyMs: number
  /** Maximum milliseconds between two chunks of a streamed body. */
  streamIdleMs: number
  /** Minimum speed of uploads. No limit if omitted. */
  upload?: UploadPaceLimits
}

/** Validated input of a request, before it is typed for the handler. */
export interface Input {
  params: Record<string, string>
  query: Record<string, unknown>
  headers: Record<string, string>
  body: unknown
  lines: Lines | undefined
  upload: Upload | undefined
  reading: BodyParsers
  /**
   * Returns the SHA-256 of the body and the query. For a streamed body it covers the bytes that were read so far. Only
   * available for requests with an Idempotency-Key.
   */
  fingerprint: () => Buffer
  idempotencyKey: string | undefined
  ifMatch: IfMatch | undefined
  raw: RawBody | undefined
  wait: Wait
  wantsStream: boolean
}

/**
 * Reads the input of a request. Throws a fault if it cannot be parsed, is invalid, or exceeds the memory quota. `gone`
 * returns a signal that aborts when the caller disconnects.
 */
type TakeInput = (request: FastifyRequest, claim: BodyReservation, gone: () => AbortSignal) => Promise<Input>

const WAIT_SECONDS_MAX = 60
/** Maximum milliseconds to wait for data from a stored file. */
const FILE_IDLE_MS = 30_000
/** Matches separators in the header `Prefer`. Unknown preferences are ignored. */
const PARTS = /[,;\s]+/
const WAIT = /^wait=(\d{1,9})$/
const AWAIT_VECTORS = 'reading'
/** Maximum JSON values in a body of records. Without it, 16 MiB could hold many millions of empty arrays. */
const RECORD_VALUES_MAX = 2_000_000

/** The parts of an input that the operation's schemas describe. */
type RequestShape = Pick<Input, 'params' | 'query' | 'body' | 'lines' | 'upload'>

/** Throws the fault of the first invalid part of the input. Body and query are checked before ids in the path. */
export type AssertRules = (input: RequestShape) => void

/** Compiles the validation of an operation's input. */
export function rulesOf(operation: Operation): AssertRules {
  const checkBody = operation.body?.json && checkAll(operation.body.json, ['body'])
  const checkQuery = operation.query && checkAll(operation.query, ['query'])
  const idShapes = Object.entries(propertiesOf(operation.params)).map(
    ([name, schema]) => [name, new RegExp((schema as { pattern?: string }).pattern ?? '')] as const,
  )
  return ({ params, query, body, lines, upload }) => {
    const bodyProblems = problemsOf(lines || upload ? undefined : checkBody, body)
    if (operation.body?.refusal && bodyProblems.length > 0)
      throw refusal(outcomeErrorOf(bodyProblems[0]!.loc[1]), bodyProblems)
    refuse([...bodyProblems, ...problemsOf(checkQuery, query)])
    for (const [name, shape] of idShapes) if (!shape.test(params[name]!)) throw new Fault('not_found')
  }
}

export function inputOf(
  operation: Operation,
  timeouts: InputTimeouts,
  assertRules: AssertRules = rulesOf(operation),
): TakeInput {
  const takeBody = bodyTaker(operation.body, timeouts)
  const takeQuery = queryTaker(operation.query)
  const headerNames = Object.keys(headersOf(operation))
  const stream = operation.reply?.stream
  return async (request, claim, gone) => {
    const headers = pickHeaders(request, headerNames)
    const { 'idempotency-key': key, 'if-match': ifMatch } = headers
    const conditions = {
      idempotencyKey: key === undefined ? undefined : parseIdempotencyKey(key),
      ifMatch: ifMatch === undefined ? undefined : parseIfMatch(ifMatch),
    }
    const hash = key === undefined ? undefined : bodyHash(headers)
    const { body, lines, upload } = await takeBody(request, { claim, gone, hash })
    const query = takeQuery(request.query as Record<string, unknown>)
    const params = request.params as Record<string, string>
    assertRules({ params, query, body, lines, upload })
    return {
      params,
      query,
      headers,
      body,
      lines,
      upload,
      reading: READING,
      fingerprint: () => withQuery(hash!.copy().digest(), query),
      ...conditions,
      raw: operation.body?.bytes ? rawBody(request, claim, timeouts) : undefined,
      wait: waitOf(headers.prefer),
      wantsStream: stream !== undefined && (request.headers.accept ?? '').includes(stream),
    }
  }
}

const NO_PROBLEMS: Problem[] = []

function problemsOf(check: Check | undefined, value: unknown): Problem[] {
  return check === undefined ? NO_PROBLEMS : check(value)
}

function refuse(problems: Problem[]): void {
  if (problems.length > 0) throw new Fault('validation_error', { problems })
}

function propertiesOf(schema: TSchema | undefined): Record<string, TSchema> {
  return (schema as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {}
}

/**
 * Returns a hash for the body. It also covers the presence of an encryption key, so the same body has different
 * fingerprints with and without a key.
 */
function bodyHash(headers: Record<string, string>): Hash {
  const hasKey = headers['x-encryption-token'] !== undefined || headers['x-encryption-key'] !== undefined
  return createHash('sha256').update(hasKey ? 'keyed\n' : 'plain\n')
}

/** Adds the query to the fingerprint. The same body with a different query is a different request. */
function withQuery(bodyDigest: Buffer, query: Record<string, unknown>): Buffer {
  if (Object.keys(query).length === 0) return bodyDigest
  return createHash('sha256').update(bodyDigest).update(JSON.stringify(query)).digest()
}

type Body = { body: unknown; lines?: Lines; upload?: Upload }
type BodyContext = { claim: BodyReservation; gone: () => AbortSignal; hash: Hash | undefined }
type TakeBody = (request: FastifyRequest, taking: BodyContext) => Promise<Body>

function bodyTaker(taken: RequestBody | undefined, timeouts: InputTimeouts): TakeBody {
  if (taken?.json === undefined) return async () => ({ body: undefined })
  const valuesMax = taken.ndjson ? RECORD_VALUES_MAX : VALUES_MAX
  const limits = { maxBytes: taken.bytesMax ?? BODY_BYTES_MAX, timeoutMs: timeouts.bodyMs }
  return async (request, { claim, gone, hash }) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers
    if (coding === undefined && (length === undefined || length === '0')) return { body: {} }
    const type = bodyType(request, taken)
    if (type === NDJSON)
      return {
        body: undefined,
        lines: readLines(sentBy(request), timeouts.streamIdleMs, hash, claim.reserve(undefined)),
      }
    if (type !== JSON_BODY) {
      const pace = timeouts.upload && openUploadPace(timeouts.upload)
      const chunks = readChunks(sentBy(request), timeouts.streamIdleMs, { hash, pace })
      const parts = type === FORM ? { parts: readForm(chunks, request.headers['content-type'] ?? '') } : {}
      return { body: undefined, upload: { type, chunks, ...parts } }
    }
    const declared = declaredBytes(request, limits.maxBytes)
    const bytes = await readBody(sentBy(request), declared, { ...limits, reservation: claim.reserve(declared) })
    hash?.update(bytes)
    return { body: bytes.length === 0 ? {} : await claim.parse(bytes, gone, (all) => parseBody(all, valuesMax)) }
  }
}

/** Returns the body as a stream, from the connection or from the buffered copy. */
function sentBy({ raw, bufferedBody }: FastifyRequest): Readable {
  return bufferedBody ? Readable.from([bufferedBody], { objectMode: false }) : raw
}

/** Returns the declared length of a body. Throws `payload_too_large` before any memory is reserved. */
function declaredBytes(
  { headers: { 'content-length': length } }: FastifyRequest,
  maxBytes: number,
): number | undefined {
  if (length !== undefined && Number(length) > maxBytes) throw new Fault('payload_too_large')
  return length === undefined ? undefined : Number(length)
}

function rawBody(request: FastifyRequest, claim: BodyReservation, timeouts: InputTimeouts): RawBody {
  const headers = request.headers as RawBody['headers']
  const limits = { maxBytes: BODY_BYTES_MAX, timeoutMs: timeouts.bodyMs }
  const read = async (reserve?: (declared: number | undefined) => Reservation) => {
    const declared = declaredBytes(request, limits.maxBytes)
    return readBody(request.raw, declared, {
      ...limits,
      ...(reserve ? { reservation: reserve(declared) } : { isForgotten: true }),
    })
  }
  return {
    headers,
    bytes: (accountId) =>
      read((of) => (accountId === undefined ? claim.reserveUnknown(of) : claim.reserve(of, accountId))),
    discard: async () => void (await read()),
    json: (bytes) => parseForeign(bytes, RECORD_VALUES_MAX),
  }
}

/** Functions that parse an uploaded file. */
export const READING: BodyParsers = {
  json: (bytes) => parseForeign(bytes, RECORD_VALUES_MAX),
  lines: (stream) => readLines(stream, FILE_IDLE_MS),
}

const JSON_BODY = 'application/json'
const NDJSON = 'application/x-ndjson'
const FORM = 'multipart/form-data'
/** Media type of an operation that accepts any file. */
const ANY_FILE = '*/*'
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/
const UTF8_ONLY = /^(?:\s*charset\s*=\s*"?utf-?8"?\s*|\s*)$/i

export function mediaTypesOf({ ndjson, files = [] }: RequestBody): string[] {
  return [JSON_BODY, ...(ndjson ? [NDJSON] : []), ...files]
}

/** Returns the media type of the body. Throws `unsupported_media_type` if the operation does not accept it. */
function bodyType(request: FastifyRequest, taken: RequestBody): string {
  const { 'content-type': declared = '', 'content-encoding': encoding = 'identity' } = request.headers
  const [type = '', ...parameters] = declared.split(';')
  const name = type.trim().toLowerCase()
  const types = mediaTypesOf(taken)
  const isFile = !types.includes(name) && types.includes(ANY_FILE) && MEDIA_TYPE.test(name)
  const isTaken = isFile || name === FORM || parameters.every((one) => UTF8_ONLY.test(one))
  if (!(isFile || types.includes(name)) || encoding !== 'identity' || !isTaken) {
    throw unsupportedMedia(types)
  }
  return name
}

type Coerce = (text: string) => unknown

const COERCIONS: Record<string, Coerce> = {
  integer: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text),
  number: (text) => (/^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : text),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : text),
}

/** Returns a function that selects the declared query parameters and converts numbers and booleans. */
function queryTaker(schema: TSchema | undefined): (query: Record<string, unknown>) => Record<string, unknown> {
  const declared = Object.entries(propertiesOf(schema)).map(
    ([name, property]) => [name, COERCIONS[(property as { type?: string }).type ?? '']] as const,
  )
  return (query) => {
    const taken: Record<string, unknown> = {}
    for (const [name, coerce] of declared) {
      const given = query[name]
      if (given === undefined) continue
      if (typeof given === 'string' && given.includes('\0')) throw new Fault('invalid_text')
      taken[name] = coerce && typeof given === 'string' ? coerce(given) : given
    }
    return taken
  }
}

function pickHeaders(request: FastifyRequest, names: string[]): Record<string, string> {
  const picked: Record<string, string> = {}
  for (const name of names) {
    const value = request.headers[name]
    if (typeof value === 'string' && value !== '') picked[name] = value
  }
  return picked
}

function waitOf(prefer = ''): Wait {
  const preferences = prefer.toLowerCase().split(PARTS)
  const seconds = preferences.flatMap((part) => WAIT.exec(part)?.[1] ?? [])[0]
  if (seconds === undefined) return NO_WAIT
  return { seconds: Math.min(Number(seconds), WAIT_SECONDS_MAX), isForVectors: preferences.includes(AWAIT_VECTORS) }
}
