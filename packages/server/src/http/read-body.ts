import type { Readable } from 'node:stream'
import { Fault } from '../base/fault.ts'
import type { Held } from './body-budget.ts'

/** How much of a body is read, and for how long. */
interface BodyLimits {
  maxBytes: number
  timeoutMs: number
  /** What of a body that does not say its length is counted as it comes; a declared one is counted before. */
  held?: Held | undefined
  /** The body is read and dropped; the operation gets an empty one. */
  isForgotten?: boolean
}

/**
 * Every byte of a body. Throws `payload_too_large` as soon as it is known, `request_timeout` when the whole has not
 * come in time, and what counting throws; what then still comes is left unread.
 */
export function readBody(stream: Readable, declaredBytes: number | undefined, limits: BodyLimits): Promise<Buffer> {
  if (declaredBytes !== undefined && declaredBytes > limits.maxBytes) throw new Fault('payload_too_large')
  const isCounted = limits.held !== undefined && declaredBytes === undefined
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const timer = setTimeout(() => finish(new Fault('request_timeout')), limits.timeoutMs)
    const finish = (fault?: Fault) => {
      clearTimeout(timer)
      stream.off('data', onChunk).off('end', onEnd).off('error', onError).off('close', onError)
      if (fault === undefined) return resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
      stream.pause()
      reject(fault)
    }
    const onChunk = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > limits.maxBytes) return finish(new Fault('payload_too_large'))
      if (limits.isForgotten) return
      try {
        if (isCounted) limits.held?.resize(bytes)
      } catch (fault) {
        return finish(fault as Fault)
      }
      chunks.push(chunk)
    }
    const onEnd = () => finish()
    const onError = () => finish(new Fault('bad_request', { detail: 'The body broke off.' }))
    stream.on('data', onChunk).on('end', onEnd).on('error', onError).on('close', onError)
  })
}
