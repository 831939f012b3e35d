import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { Fault } from '../base/fault.ts'
import type { Place } from '../store/cluster/place.ts'

/** Nothing of the request has reached the other process. */
export class Unsent extends Error {
  override name = 'Unsent'
}

/** What a caller is told of a request whose end nobody knows. */
export const UNKNOWN_END =
  'The process that works on this sandbox broke off, so that what was asked for may have been done or not. Look, or ' +
  'send it again: with the same Idempotency-Key or external_id it is done once.'

/** Sends requests to other processes over connections that are kept. */
export interface Sending {
  /**
   * Sends a request and gives the reply when its headers have come. Rejects with `Unsent` while nothing has been sent;
   * ends the request when the caller has gone. A reply of which no more comes ends with `unavailable`.
   */
  send(place: Place, head: SentHead, body: Buffer | Readable, caller: ServerResponse): Promise<IncomingMessage>
  /** How many are under way. */
  count(): number
  /** Breaks off what is under way to processes that are not alive. */
  dropUnless(isAlive: (place: Place) => boolean): void
  /** Breaks everything off. */
  close(): void
}

interface SentHead {
  method: string
  path: string
  headers: Record<string, string | string[] | undefined>
}

/** Beside us a connection takes a millisecond; a process that takes longer is gone, and not heard to be yet. */
const CONNECT_MS_MAX = 1_000
/** Once all of it is sent, a reply begins within a minute of waiting for a job, and the time of its last steps. */
const HEADERS_MS_MAX = 90_000
/** Longer than a process lets a stream of its own stand still, so that it is the one that ends it. */
const SILENT_MS_MAX = 90_000
/** Less than a connection is kept on the other side, so that none is used that ends at this moment. */
const KEPT_MS = 30_000
const CONNECTIONS_FREE = 32

/** Connections to other processes, none of them open yet. */
export function openSending({ silentMs = SILENT_MS_MAX }: { silentMs?: number } = {}): Sending {
  const kept = { keepAlive: true, maxFreeSockets: CONNECTIONS_FREE, timeout: KEPT_MS }
  const agents = { http: new HttpAgent(kept), https: new HttpsAgent(kept) }
  const underWay = new Map<ClientRequest, Place>()

  const send: Sending['send'] = (place, { method, path, headers }, body, caller) =>
    new Promise((resolve, reject) => {
      const { protocol, hostname, port } = new URL(place.url)
      const isTls = protocol === 'https:'
      const options = { agent: isTls ? agents.https : agents.http, hostname, port, method, path, headers }
      const sent = isTls ? httpsRequest(options) : httpRequest(options)
      let [isBegun, isAnswered] = [false, false]
      underWay.set(sent, place)
      const timer = (ms: number, what: string) => setTimeout(() => sent.destroy(new Error(what)), ms)
      let limit = timer(CONNECT_MS_MAX, 'no connection in time')
      const gone = () => sent.destroy()
      caller.once('close', gone)
      const begin = () => {
        clearTimeout(limit)
        isBegun = true
        // A body may come for as long as it comes; it is the place that ends one that stalls.
        sent.once('finish', () => {
          if (!isAnswered) limit = timer(HEADERS_MS_MAX, 'no reply in time')
        })
        if (Buffer.isBuffer(body)) sent.end(body)
        else body.once('error', gone).pipe(sent)
      }
      sent.once('socket', (socket) => {
        if (sent.reusedSocket) begin()
        else socket.once(isTls ? 'secureConnect' : 'connect', begin)
      })
      sent.once('response', (reply) => {
        isAnswered = true
        clearTimeout(limit)
        endBrokenOff(reply, silentMs)
        resolve(reply)
      })
      sent.on('error', (cause) => reject(isBegun ? cause : new Unsent('no connection', { cause })))
      sent.once('close', () => {
        // One that answers with another protocol than HTTP ends without a reply and without an error.
        reject(new Error('no reply'))
        clearTimeout(limit)
        underWay.delete(sent)
        caller.off('close', gone)
      })
    })

  return {
    send,
    count: () => underWay.size,
    dropUnless: (isAlive) => {
      for (const [sent, place] of underWay) if (!isAlive(place)) sent.destroy(new Error('the process is gone'))
    },
    close: () => {
      for (const sent of underWay.keys()) sent.destroy(new Error('the program stops'))
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

/** Ends a reply of which nothing comes for so long, or whose connection ends before it, for its reader as a fault. */
function endBrokenOff(reply: IncomingMessage, silentMs: number): void {
  const { socket } = reply
  const end = (note: string) => reply.destroy(new Fault('unavailable', { detail: UNKNOWN_END, note }))
  const silent = () => end('the place fell silent')
  const cut = () => {
    if (!reply.complete) end('the place broke off')
  }
  socket.setTimeout(silentMs, silent)
  // Before the listener of Node, which ends the reply with what befell the connection.
  socket.prependListener('close', cut)
  // The connection may carry other requests after this one.
  reply.once('close', () => socket.off('timeout', silent).off('close', cut))
}
