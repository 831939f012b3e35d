import type { Readable } from 'node:stream'
import { Fault } from '../base/fault.ts'
import type { Reservation } from './body-quota.ts'

interface BodyLimits {
  maxBytes: number
  timeoutMs: number
  /**
   * Memory reservation. It grows with the bytes that arrive, unless the length was declared and therefore reserved
   * before.
   */
  reservation?: Reservation | undefined
  /** True to read and discard the body. The operation then gets an empty body. */
  isForgotten?: boolean
}

/**
 * Reads a whole body. Throws `payload_too_large` as early as possible, `request_timeout` if the body is not complete in
 * time, and the errors of the memory reservation. After an error, the rest of the body stays unread.
 */
export function readBody(stream: Readable, declaredBytes: number | undefined, limits: BodyLimits): Promise<Buffer> {
  if (declaredBytes !== undefined && declaredBytes > limits.maxBytes) throw new Fault('payload_too_large')
  const isCounted = limits.reservation !== undefined && declaredBytes === undefined
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
        if (isCounted) limits.reservation?.resize(bytes)
      } catch (fault) {
        return finish(fault as Fault)
      }
      chunks.push(chunk)
    }
    const onEnd = () => finish()
    const onError = () => finish(new Fault('bad_request', { detail: 'The body ended early.' }))
    stream.on('data', onChunk).on('end', onEnd).on('error', onError).on('close', onError)
  })
}
