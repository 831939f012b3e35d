import { type About, type Added, add } from './add.ts'
import { AnswerStream } from './answer-stream.ts'
import { partsOf } from './content.ts'
import { ApiError, CairnError, failureOf, parsePart } from './errors.ts'
import type { Methods } from './generated/methods.ts'
import { TABLE } from './generated/table.ts'
import type { Job, SandboxPage, Search, SearchAnswer } from './generated/types.ts'
import { dataKeyOf, encryptionToken, toBase64 } from './keys.ts'
import { Paged } from './paged.ts'
import { type CallOptions, type OperationInput, type Request, type Row, requestOf } from './request.ts'
import { Sender } from './sender.ts'
import { builtin, type CairnOptions, type ResolvedSettings, resolveSettings } from './settings.ts'
import { unlimitedFetch } from './unlimited-fetch.ts'

/** Search parameters in addition to the question, with their wire names. */
export type AskOptions = Omit<Search, 'query'> & { sandbox_id?: string }

const TIMEOUT_MS = 300_000
const RETRIES = 3
const WAIT_SECONDS_MAX = 60
const SANDBOX_NAME = 'Notes'
const SHOWN_MAX = 5
const ID = /^sbx_/

/** Client of one service for one caller. It keeps no connection open, so it need not be closed. */
class Client {
  /** Address of the service. */
  readonly url: string
  readonly #found: ResolvedSettings
  readonly #encryptsKey: boolean
  readonly #asUser: string | undefined
  readonly #usesCookie: boolean
  readonly #sender: Sender
  readonly #uploader: Sender
  #sandboxId: Promise<string> | undefined

  /** Throws CairnError for an invalid address and for a profile that does not exist. */
  constructor(options: CairnOptions = {}) {
    this.#found = resolveSettings(options)
    this.#encryptsKey = options.encryptsKey ?? false
    this.#asUser = options.asUser
    this.#usesCookie = options.usesCookie ?? false
    this.url = this.#found.url
    const { fetch: given, timeoutMs = TIMEOUT_MS, retries = RETRIES, waitSecondsMax = WAIT_SECONDS_MAX } = options
    const fetch: typeof globalThis.fetch = given ?? ((input, init) => globalThis.fetch(input, init))
    const canStream = builtin('node:stream') !== undefined
    const credentials: NonNullable<RequestInit['credentials']> = this.#usesCookie ? 'same-origin' : 'omit'
    const shared = { url: this.url, canStream, credentials, timeoutMs, retries, waitSecondsMax, onWait: options.onWait }
    this.#sender = new Sender({ ...shared, fetch })
    this.#uploader = new Sender({ ...shared, fetch: given ?? unlimitedFetch() ?? fetch })
  }

  /**
   * Imports a text, a local file or folder (`{ path }` or a `file:` URL), a Blob, or messages of a conversation.
   * Returns the job once the content can be queried. Creates a sandbox if the account has none.
   */
  async add(what: Added, about: About = {}, options: CallOptions = {}): Promise<Job> {
    const sandbox_id = about.sandbox_id ?? (await this.sandboxId(true))
    return add(this as unknown as Methods, what, { ...about, sandbox_id }, options)
  }

  /** Answers a question in one or two paragraphs. Every statement is supported by stored records. */
  ask(question: string, parameters: AskOptions = {}, options: CallOptions = {}): Promise<SearchAnswer> {
    return (this as unknown as Methods).search({ ...parameters, query: question }, options)
  }

  /** Answers a question like `ask`, but streams the answer. */
  streamAsk(question: string, parameters: AskOptions = {}, options: CallOptions = {}): AnswerStream<SearchAnswer> {
    return (this as unknown as Methods).streamSearch({ ...parameters, query: question }, options)
  }

  /**
   * Returns the id of the default sandbox: the client's own, or the only one. If there is none, creates one if
   * `createsOne`. Throws CairnError if there are several.
   */
  sandboxId(createsOne = false): Promise<string> {
    if (this.#sandboxId === undefined || createsOne) {
      const sandboxId = this.#findSandbox(createsOne)
      this.#sandboxId = sandboxId
      // Do not cache a failure; the next call tries again.
      sandboxId.catch(() => {
        if (this.#sandboxId === sandboxId) this.#sandboxId = undefined
      })
    }
    return this.#sandboxId
  }

  async #findSandbox(createsOne: boolean): Promise<string> {
    const { sandbox } = this.#found
    if (sandbox !== undefined && ID.test(sandbox)) return sandbox
    const methods = this as unknown as Methods
    const { sandboxes } = await methods.listSandboxes(sandbox === undefined ? { status: 'active' } : {})
    const named = sandbox === undefined ? sandboxes : sandboxes.filter(({ name }) => name === sandbox)
    if (named.length === 1) return named[0]!.sandbox_id
    if (named.length === 0 && sandbox === undefined && createsOne) return this.#makeSandbox()
    throw new CairnError(named.length > 0 ? ambiguousMessage(named) : notFoundMessage(sandboxes, sandbox))
  }

  async #makeSandbox(): Promise<string> {
    const methods = this as unknown as Methods
    try {
      return (await methods.createSandbox({ name: SANDBOX_NAME })).sandbox_id
    } catch (error) {
      // Another process of the same account created the sandbox first.
      if (!(error instanceof ApiError) || error.reason !== 'duplicate_name') throw error
      return this.#findSandbox(false)
    }
  }

  /** Calls one operation and returns the result of its method. */
  call(row: Row, input: OperationInput = {}, options: CallOptions = {}): unknown {
    const [, , traits, , rows] = row
    if (rows) return new Paged((cursor) => this.#json(row, { ...input, ...cursor }, options), rows)
    if (traits.includes('l')) return this.#lines(row, input, options)
    if (traits.includes('d')) return this.#file(row, input, options)
    return this.#json(row, input, options)
  }

  /** Calls one operation and streams its answer. */
  stream(row: Row, input: OperationInput = {}, options: CallOptions = {}): AnswerStream<unknown> {
    return new AnswerStream(() => this.#bytes(row, input, options, 'text/event-stream'))
  }

  async *#lines(row: Row, input: OperationInput, options: CallOptions): AsyncGenerator<unknown, void, undefined> {
    const bytes = this.#bytes(row, input, options, 'application/x-ndjson')
    for await (const line of partsOf(bytes, '\n')) if (line !== '') yield parsePart(line)
  }

  async #file(row: Row, input: OperationInput, options: CallOptions): Promise<Blob> {
    const parts: Uint8Array<ArrayBuffer>[] = []
    for await (const part of this.#bytes(row, input, options, '*/*')) parts.push(part as Uint8Array<ArrayBuffer>)
    return new Blob(parts)
  }

  async *#bytes(row: Row, input: OperationInput, options: CallOptions, accept: string): AsyncGenerator<Uint8Array> {
    yield* this.#sender.bytes(await this.#request(row, input, options, accept), options)
  }

  async #json<T>(row: Row, input: OperationInput, options: CallOptions): Promise<T> {
    const isText = row[2].includes('t')
    const request = await this.#request(row, input, options, isText ? '*/*' : 'application/json')
    const isUpload = row[2].includes('f') || row[5] !== undefined
    const { reply, text } = await (isUpload ? this.#uploader : this.#sender).text(request, options)
    if (isText) return text as T
    const body = text === '' ? undefined : parsed(text)
    // Every JSON reply of a service is an object or an array.
    if (body === null || (body !== undefined && typeof body !== 'object')) {
      throw failureOf(reply.status, text, reply.headers)
    }
    return body as T
  }

  async #request(row: Row, input: OperationInput, options: CallOptions, accept: string): Promise<Request> {
    const [, path, traits] = row
    const filled: Record<string, unknown> = { ...input }
    if (traits.includes('i')) filled.sandbox_id ??= await this.sandboxId()
    if (row === (TABLE.createSandbox as Row)) filled.owner_id ??= await this.#accountId()
    if (this.#asUser !== undefined) {
      if (traits.includes('u')) filled.as_user ??= this.#asUser
      else if (path.includes(':sandbox_id'))
        throw new CairnError('Changes are not possible with `asUser`. Use a client without it.')
    }
    const request = requestOf(row, filled, options)
    const { apiKey } = this.#found
    const bearer = traits.includes('o') || this.#usesCookie ? undefined : await keyOf(apiKey)
    request.headers = {
      accept,
      ...(this.#usesCookie && { 'x-cairn-request': '1' }),
      ...(bearer && { authorization: `Bearer ${bearer}` }),
      ...(traits.includes('c') && (await this.#encryption(bearer))),
      ...request.headers,
    }
    return request
  }

  /** Returns the account that owns a sandbox created without an explicit owner. */
  async #accountId(): Promise<string> {
    return (await (this as unknown as Methods).getProfile()).user_id
  }

  async #encryption(bearer: string | undefined): Promise<Record<string, string>> {
    const { encryptionKey } = this.#found
    if (encryptionKey === undefined) return {}
    const key = dataKeyOf(encryptionKey)
    if (!this.#encryptsKey || !bearer) return { 'x-encryption-key': toBase64(key) }
    return { 'x-encryption-token': await encryptionToken(key, bearer) }
  }
}

/** Parses JSON; returns null if it is invalid. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function keyOf(apiKey: ResolvedSettings['apiKey']): Promise<string> {
  const key = typeof apiKey === 'function' ? await apiKey() : apiKey
  if (key && /^[\x21-\x7e]+$/.test(key)) return key
  throw new CairnError('This needs a key. Pass `apiKey`, set CAIRN_API_KEY, or run `cairn init`.')
}

type Listed = SandboxPage['sandboxes']

function ambiguousMessage(named: Listed): string {
  return `Several sandboxes match. Pass the id of one as \`sandbox\`: ${namesOf(named)}`
}

/** Returns an error message that lists the existing sandboxes and says how to create the requested one. */
function notFoundMessage(all: Listed, sandbox: string | undefined): string {
  if (sandbox === undefined) return 'There is no sandbox yet. `add` creates one.'
  const there =
    all.length === 0
      ? 'This account has no sandbox yet. Create it'
      : `This account has ${namesOf(all)} Use one of these, or create it`
  const name = JSON.stringify(sandbox)
  return `No sandbox is called ${name}. ${there} with createSandbox({ name: ${name} }).`
}

function namesOf(sandboxes: Listed): string {
  const shown = sandboxes.slice(0, SHOWN_MAX).map(({ sandbox_id: id, name }) => `${id} ${JSON.stringify(name)}`)
  return `${shown.join(', ')}${sandboxes.length > SHOWN_MAX ? ' …' : '.'}`
}

for (const [id, row] of Object.entries(TABLE) as [string, Row][]) {
  const define = (name: string, value: (this: Client, asked?: OperationInput, options?: CallOptions) => unknown) =>
    Object.defineProperty(Client.prototype, name, { value, configurable: true, writable: true })
  define(id, function (asked, options) {
    return this.call(row, asked, options)
  })
  if (!row[2].includes('e')) continue
  define(`stream${id[0]!.toUpperCase()}${id.slice(1)}`, function (asked, options) {
    return this.stream(row, asked, options)
  })
}

/** Client of one service: every operation of the API, plus `add` and `ask` for the common cases. */
export type Cairn = Client & Methods
export const Cairn = Client as unknown as new (options?: CairnOptions) => Cairn
