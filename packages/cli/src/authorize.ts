import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  AUTHORIZATION_REASONS,
  type McpAuthorization,
  type Outcome,
  operations,
  type Source,
} from '@cairnstore/contract'
import { call, sandboxOf } from './call.ts'
import { type Options, type ParsedArguments, toOperationInput } from './inputs.ts'
import { Failure, jsonText, note, print, printable, usageFailure } from './output.ts'
import type { OwnCommand } from './own-command.ts'
import { readSettings, type Settings } from './settings.ts'

const { authorizeUserMcp, completeUserMcpAuthorization, createUserMcp, getSource } = operations

const WAITING =
  'It prints a link to open in a browser, then waits. After the consent the browser shows a confirmation code: type ' +
  'it here. If the browser cannot reach the service, paste the address from its address bar instead. The person who ' +
  'consents allows every editor of the sandbox to act on their behalf at that server.'
const WAIT_OPTIONS = {
  'no-wait': {
    form: 'FLAG',
    meaning: 'Print the link and exit. Complete the consent later with `sources authorize --code`.',
  },
} as const

/** Command that registers a hosted MCP server and asks for consent. */
export const CONNECT: OwnCommand = {
  words: ['sources', 'connect'],
  operands: 'URL [NAME]',
  summary: 'Connect a hosted tool server (MCP) by OAuth',
  about: WAITING,
  access: createUserMcp.access,
  given: { URL: 'The address of the server, from its documentation.', NAME: 'A label. Default: the host name.' },
  options: WAIT_OPTIONS,
  operation: createUserMcp,
  without: ['token', 'auth_header', 'name', 'base_url', 'auth_kind'],
  isInside: true,
  examples: ['sources connect https://mcp.example.com/mcp', 'sources connect https://mcp.example.com/mcp Tickets'],
  run: connect,
}

/** Command that requests consent again, or completes a pending one. */
export const AUTHORIZE: OwnCommand = {
  words: ['sources', 'authorize'],
  operands: 'SOURCE_ID',
  summary: 'Ask for the consent that a hosted tool server needs',
  about: WAITING,
  access: authorizeUserMcp.access,
  given: { SOURCE_ID: 'The id of the source, from `cairn sources`.' },
  options: {
    ...WAIT_OPTIONS,
    code: {
      form: 'TEXT',
      meaning: 'Complete a consent with the confirmation code, or with the address from the browser.',
    },
  },
  operation: authorizeUserMcp,
  isInside: true,
  examples: ['sources authorize SOURCE_ID', 'sources authorize SOURCE_ID --code WDJB-MJHT'],
  run: authorize,
}

async function connect({ operands, options }: ParsedArguments): Promise<number> {
  const [url, given, extra] = operands
  if (url === undefined || extra !== undefined) throw usageFailure(`Usage: cairn sources connect ${CONNECT.operands}`)
  if (!URL.canParse(url)) throw usageFailure('URL must be an address, such as https://mcp.example.com/mcp.')
  const settings = readSettings(createUserMcp.access, options)
  const sandboxId = await sandboxOf(settings)
  const name = given ?? new URL(url).hostname
  const typed = { ...options, 'no-wait': undefined }
  const input = toOperationInput(createUserMcp, [name, url, 'oauth'], typed, ['sandbox_id'])
  const made = (await call(createUserMcp, { ...input, sandbox_id: sandboxId }, settings)) as Outcome
  return waitForConsent(made, { sandbox_id: sandboxId, source_id: made.data_source_id ?? '' }, settings, options)
}

async function authorize({ operands, options }: ParsedArguments): Promise<number> {
  const [sourceId, extra] = operands
  if (sourceId === undefined || extra !== undefined)
    throw usageFailure(`Usage: cairn sources authorize ${AUTHORIZE.operands}`)
  const { code, 'no-wait': _, ...rest } = options
  const settings = readSettings(authorizeUserMcp.access, options)
  const ids = { sandbox_id: await sandboxOf(settings), source_id: sourceId }
  if (typeof code === 'string') return shown(await complete(ids, code, settings), options)
  const input = toOperationInput(authorizeUserMcp, [sourceId], rest, ['sandbox_id'])
  const started = (await call(authorizeUserMcp, { ...input, ...ids }, settings)) as Outcome
  return waitForConsent(started, ids, settings, options)
}

type SourceIds = Readonly<Record<'sandbox_id' | 'source_id', string>>

async function complete(ids: SourceIds, typed: string, settings: Settings): Promise<Outcome> {
  const sent = typed.includes('://') ? { callback_url: typed } : { code: typed }
  return (await call(completeUserMcpAuthorization, { ...ids, ...sent }, settings)) as Outcome
}

async function shown(outcome: Outcome, options: Options): Promise<number> {
  if (options.json === true) await print(jsonText(outcome))
  else {
    const { state = '' } = outcome.authorization ?? {}
    const health = outcome.health_error ? `, and its check failed: ${outcome.health_error}` : ''
    await print(printable(`${outcome.data_source_id} is ${state}${health}.`).concat('\n'))
  }
  return outcome.authorization?.state === 'authorized' ? 0 : 1
}

/** Prints the link and waits until the consent is completed. Throws Failure if it expires or fails. */
async function waitForConsent(started: Outcome, ids: SourceIds, settings: Settings, options: Options): Promise<number> {
  const { url } = started.authorization ?? {}
  if (!url) throw failureOf(started.authorization)
  if (options['no-wait'] === true) {
    await print(options.json === true ? jsonText(started) : `${url}\n`)
    return 0
  }
  process.stderr.write(`Open this address in a browser and consent:\n${printable(url)}\n`)
  note(settings, 'Then type the confirmation code that the browser shows, or paste the address from its address bar:')
  const typed = openTyped()
  try {
    return await shown(await untilDone(ids, typed, settings), options)
  } finally {
    typed.close()
  }
}

const POLL_MS = 1_000

async function untilDone(ids: SourceIds, typed: TypedLines, settings: Settings): Promise<Outcome> {
  for (;;) {
    const line = typed.take()
    if (line !== undefined) {
      try {
        return await complete(ids, line, settings)
      } catch (error) {
        if (!(error instanceof Failure) || error.status !== BAD_REQUEST) throw error
        note(settings, error.message)
      }
    }
    const source = (await call(getSource, ids, settings)) as Source
    const { authorization } = source
    if (authorization?.state === 'authorized') return outcomeOf(source)
    if (authorization?.state !== 'pending' && authorization?.state !== 'confirming') throw failureOf(authorization)
    if (!typed.has()) await sleep(POLL_MS)
  }
}

const BAD_REQUEST = 400

function outcomeOf(source: Source): Outcome {
  const { data_source_id, status, name, ingestion_mode, authorization } = source
  const none = { health_error: source.last_error ?? null, error: null, detail: null }
  return { data_source_id, status, name, ingestion_mode, ...none, ...(authorization && { authorization }) }
}

function failureOf(authorization: McpAuthorization | undefined): Failure {
  const { reason, state = 'needs_authorization' } = authorization ?? {}
  const why = reason ? AUTHORIZATION_REASONS[reason] : 'The consent timed out.'
  const detail = `${why} \`cairn sources authorize SOURCE_ID\` starts it again.`
  return new Failure(detail, { error: reason ?? state, detail })
}

/** Reads lines from the terminal while other work runs. */
interface TypedLines {
  take(): string | undefined
  has(): boolean
  close(): void
}

function openTyped(): TypedLines {
  const lines: string[] = []
  const input = createInterface({ input: process.stdin })
  input.on('line', (line) => line.trim() !== '' && lines.push(line.trim()))
  return { take: () => lines.shift(), has: () => lines.length > 0, close: () => input.close() }
}
