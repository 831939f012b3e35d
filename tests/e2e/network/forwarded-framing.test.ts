import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { acquainted, type Node, openNode, sandboxesAt } from '../../harness/nodes.ts'
import { newDatabase } from '../../harness/postgres.ts'
import { newSandbox, type TestAccount, type TestSandbox } from '../../harness/test-app.ts'

const RUN_MS_MAX = 120_000
const SANDBOXES = 12
const VICTIMS = 6
/** Number of times each attack is sent, to use several connections between the processes. */
const TIMES = 3
const REFUSALS: readonly number[] = [429, 503]
const HIDDEN_ID = 'hidden-request'
/** Timeout of an attack that gets no response or whose connection stays open. */
const ATTACK_MS_MAX = 1_500

const CRLF = '\r\n'
const head = (...lines: string[]) => [...lines, '', ''].join(CRLF)
const chunk = (text: string, extension = '') => `${text.length.toString(16)}${extension}${CRLF}${text}${CRLF}`
const LAST_CHUNK = `0${CRLF}${CRLF}`

/** Building blocks of an attack. */
interface Means {
  /** Request line and usual headers of a request, without the length of its body. */
  get: string[]
  overview: (method: string) => string[]
  discover: string[]
  records: string[]
  remove: string[]
  /** A complete request in a body. It must never be parsed as a request. */
  hidden: string
}

type Attack = (means: Means) => string

/** Bodies that hide a request, framed so that an intermediate server may parse them differently. */
const ATTACKS: Record<string, Attack> = {
  'a chunked body of GET': ({ get, hidden }) => head(...get, 'Transfer-Encoding: chunked') + chunk(hidden) + LAST_CHUNK,
  'a chunked body of HEAD': ({ overview, hidden }) =>
    head(...overview('HEAD'), 'Transfer-Encoding: chunked') + chunk(hidden) + LAST_CHUNK,
  'a chunked body of DELETE': ({ remove, hidden }) =>
    head(...remove, 'Transfer-Encoding: chunked') + chunk(hidden) + LAST_CHUNK,
  'a length on GET': ({ get, hidden }) => head(...get, `Content-Length: ${hidden.length}`) + hidden,
  'a length on HEAD': ({ overview, hidden }) => head(...overview('HEAD'), `Content-Length: ${hidden.length}`) + hidden,
  'a length on DELETE': ({ remove, hidden }) => head(...remove, `Content-Length: ${hidden.length}`) + hidden,
  'a length on GET that Connection names': ({ get, hidden }) =>
    head(...get, `Content-Length: ${hidden.length}`, 'Connection: content-length') + hidden,
  'a length on DELETE that Connection names': ({ remove, hidden }) =>
    head(...remove, `Content-Length: ${hidden.length}`, 'Connection: keep-alive, Content-Length') + hidden,
  'a length on POST that Connection names': ({ discover, hidden }) =>
    head(...discover, `Content-Length: ${hidden.length}`, 'Connection: content-length') + hidden,
  'a chunked body of POST whose coding Connection names': ({ discover, hidden }) =>
    head(...discover, 'Transfer-Encoding: chunked', 'Connection: transfer-encoding') + chunk(hidden) + LAST_CHUNK,
  'Connection names the headers that the processes rely on': ({ get, hidden }) =>
    head(
      ...get,
      `Content-Length: ${hidden.length}`,
      'Connection: x-request-id, cairn-node, authorization, host, content-length',
    ) + hidden,
  'a length and a coding': ({ discover, hidden }) =>
    head(...discover, `Content-Length: ${LAST_CHUNK.length}`, 'Transfer-Encoding: chunked') + LAST_CHUNK + hidden,
  'a coding and a length': ({ discover, hidden }) =>
    head(...discover, 'Transfer-Encoding: chunked', 'Content-Length: 4') + chunk(hidden) + LAST_CHUNK,
  'two lengths': ({ discover, hidden }) =>
    `${head(...discover, 'Content-Length: 2', `Content-Length: ${hidden.length + 2}`)}{}${hidden}`,
  'two lengths in one line': ({ discover, hidden }) =>
    `${head(...discover, `Content-Length: 2, ${hidden.length + 2}`)}{}${hidden}`,
  'a length with a sign': ({ get, hidden }) => head(...get, `Content-Length: +${hidden.length}`) + hidden,
  'a length in hexadecimal': ({ get, hidden }) =>
    head(...get, `Content-Length: 0x${hidden.length.toString(16)}`) + hidden,
  'a length with a space before its colon': ({ get, hidden }) =>
    head(...get, `Content-Length : ${hidden.length}`) + hidden,
  'a length on a folded line': ({ get, hidden }) => head(...get, 'Content-Length:', ` ${hidden.length}`) + hidden,
  'a coding on a folded line': ({ get, hidden }) =>
    head(...get, 'Transfer-Encoding:', '\tchunked') + chunk(hidden) + LAST_CHUNK,
  'a coding spelled oddly': ({ get, hidden }) =>
    head(...get, 'Transfer-Encoding: xchunked') + chunk(hidden) + LAST_CHUNK,
  'a coding in capitals': ({ discover, hidden }) =>
    head(...discover, 'TRANSFER-ENCODING: CHUNKED') + chunk(hidden) + LAST_CHUNK,
  'a coding before chunked': ({ get, hidden }) =>
    head(...get, 'Transfer-Encoding: identity, chunked') + chunk(hidden) + LAST_CHUNK,
  'a coding after chunked': ({ get, hidden }) =>
    head(...get, 'Transfer-Encoding: chunked, identity') + chunk(hidden) + LAST_CHUNK,
  'two codings': ({ discover, hidden }) =>
    head(...discover, 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity') + chunk(hidden) + LAST_CHUNK,
  'a coding with a vertical tab': ({ get, hidden }) =>
    head(...get, 'Transfer-Encoding: \u000bchunked') + chunk(hidden) + LAST_CHUNK,
  'a coding with a space before its colon': ({ get, hidden }) =>
    head(...get, 'Transfer-Encoding : chunked') + chunk(hidden) + LAST_CHUNK,
  'a coding in HTTP/1.0': ({ get, hidden }) =>
    head(
      ...get.map((line) => line.replace('HTTP/1.1', 'HTTP/1.0')),
      'Connection: keep-alive',
      'Transfer-Encoding: chunked',
    ) +
    chunk(hidden) +
    LAST_CHUNK,
  'chunk extensions': ({ get, hidden }) =>
    head(...get, 'Transfer-Encoding: chunked') + chunk(hidden, ';a="\\"\r\n"') + LAST_CHUNK,
  'a chunk with bare line feeds': ({ get, hidden }) =>
    `${head(...get, 'Transfer-Encoding: chunked')}${hidden.length.toString(16)}\n${hidden}\n0\n\n`,
  'a chunk whose size overflows': ({ get, hidden }) =>
    `${head(...get, 'Transfer-Encoding: chunked')}${'f'.repeat(17)}${CRLF}${hidden}`,
  'trailers that are a request': ({ discover, hidden }) =>
    `${head(...discover, 'Transfer-Encoding: chunked', 'Trailer: content-length, transfer-encoding')}0${CRLF}` +
    `Content-Length: ${hidden.length}${CRLF}Transfer-Encoding: chunked${CRLF}${CRLF}`,
  'a body behind Expect': ({ get, hidden }) =>
    head(...get, 'Expect: 100-continue', `Content-Length: ${hidden.length}`) + hidden,
  'a body behind Upgrade': ({ get, hidden }) =>
    head(...get, 'Connection: upgrade', 'Upgrade: websocket', `Content-Length: ${hidden.length}`) + hidden,
  'a body behind an upgrade to HTTP/2': ({ get, hidden }) =>
    head(
      ...get,
      'Connection: Upgrade, HTTP2-Settings, content-length',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA',
      `Content-Length: ${hidden.length}`,
    ) + hidden,
  'a stream of records that ends in a request': ({ records, hidden }) =>
    head(...records, 'Transfer-Encoding: chunked', 'Connection: transfer-encoding') +
    chunk(`{"external_id":"a","type":"note","text":"One."}\n`) +
    chunk(hidden) +
    LAST_CHUNK,
  'a stream of records that is cut off': ({ records, hidden }) =>
    head(...records, `Content-Length: ${hidden.length + 1_000}`) + hidden,
  'a method in its override': ({ get, hidden }) =>
    head(...get, 'X-HTTP-Method-Override: POST', `Content-Length: ${hidden.length}`) + hidden,
}

/** Sends raw bytes and resolves with the whole response once the connection closes or no more data is expected. */
function sendRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
    const timer = setTimeout(() => socket.destroy(), ATTACK_MS_MAX)
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text
      // A second response would arrive with the first one or reach another caller.
      if (answer.includes('HTTP/1.1 ')) setImmediate(() => socket.end())
    })
    socket.on('error', () => undefined)
    socket.once('close', () => {
      clearTimeout(timer)
      resolve(answer)
    })
  })
}

describe('two processes that forward requests to each other', () => {
  let folder: string
  let nodes: Node[]
  let attacker: TestAccount
  let victim: TestAccount
  let own: TestSandbox
  let others: TestSandbox[]
  let port: number
  let asked = 0

  const meansOf = (account: TestAccount, sandbox: TestSandbox): Means => {
    const usual = ['Host: 127.0.0.1', `Authorization: Bearer ${account.key}`]
    const json = [...usual, 'Content-Type: application/json']
    const overview = (method: string) => [`${method} ${sandbox.storage}/overview HTTP/1.1`, ...usual]
    const body = JSON.stringify({ records: [{ external_id: 'hidden', type: 'note', text: 'Hidden.' }] })
    const first = `POST ${sandbox.records} HTTP/1.1`
    return {
      overview,
      get: overview('GET'),
      discover: [`POST ${sandbox.query}/discover HTTP/1.1`, ...json],
      records: [first, ...usual, 'Content-Type: application/x-ndjson'],
      remove: [`DELETE ${sandbox.storage}/records/rec_0000000000000000000000 HTTP/1.1`, ...usual],
      hidden: head(first, ...json, `X-Request-Id: ${HIDDEN_ID}`, `Content-Length: ${body.length}`) + body,
    }
  }

  /** Sends a request as the victim. Throws unless the response belongs to this request. */
  const askAs = async (sandbox: TestSandbox): Promise<void> => {
    asked += 1
    const id = `victim-${asked}`
    const headers = { authorization: `Bearer ${victim.key}`, 'content-type': 'application/json', 'x-request-id': id }
    const body = JSON.stringify({ query: id })
    const reply = await fetch(`http://127.0.0.1:${port}${sandbox.query}/discover`, { method: 'POST', headers, body })
    const got = [reply.status, reply.headers.get('x-request-id'), ((await reply.json()) as { query?: string }).query]
    // A busy machine may reject the request. That is also a response to it.
    if (REFUSALS.includes(reply.status)) expect(got[1]).toBe(id)
    else expect(got).toEqual([200, id, id])
  }

  /** Returns the log lines of both processes about the hidden request. */
  const readAsRequest = () => nodes.flatMap(({ app }) => app.logged).filter((line) => line.includes(HIDDEN_ID))

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-framing-'))
    const { target } = (await newDatabase('postgres')) as { target: { url: string } }
    nodes = [await openNode(target, folder), await openNode(target, folder)]
    await acquainted(nodes)
    port = Number(new URL(nodes[0]!.url).port)
    ;[attacker, victim] = [await nodes[0]!.app.newAccount(), await nodes[0]!.app.newAccount()]
    const sandboxesOf = async ({ call }: TestAccount) => {
      const made: TestSandbox[] = []
      for (let at = 0; at < SANDBOXES; at += 1) made.push(await newSandbox(call, `Sandbox ${at}`))
      return sandboxesAt(nodes[1]!, nodes, made)
    }
    own = (await sandboxesOf(attacker))[0]!
    others = (await sandboxesOf(victim)).slice(0, VICTIMS)
  }, RUN_MS_MAX)
  afterAll(async () => {
    for (const { app } of nodes) await app.cairn.close()
    for (const { sql } of nodes) await sql.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(Object.entries(ATTACKS))(
    'give no caller the answer to another’s request: %s',
    { timeout: RUN_MS_MAX },
    async (_, attack) => {
      for (const { app } of nodes) app.logged.length = 0
      const bytes = attack(meansOf(attacker, own))
      for (let time = 0; time < TIMES; time += 1) {
        const attacked = sendRaw(port, bytes)
        await Promise.all(others.map(askAs))
        await attacked
        await Promise.all(others.map(askAs))
      }
      expect(readAsRequest()).toEqual([])
    },
  )

  it('close the connection of a request whose method defines no body, and keep all others open', async () => {
    const { get } = meansOf(attacker, own)
    const kept = await sendRaw(port, head(...get))
    expect(kept).toMatch(/^HTTP\/1\.1 200 /)
    expect(kept).not.toMatch(/\r\nconnection: close\r\n/i)
    const closed = await sendRaw(port, `${head(...get, 'Content-Length: 2')}{}`)
    expect(closed).toMatch(/^HTTP\/1\.1 200 /)
    expect(closed).toMatch(/\r\nconnection: close\r\n/i)
  })

  it('forward the end-to-end headers that Connection names', async () => {
    const answer = await sendRaw(port, head(...meansOf(attacker, own).get, 'Connection: authorization, x-request-id'))
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  })
})
