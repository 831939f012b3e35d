import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

type Labels = Record<string, string | number>

/** An exported span. */
export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentId: string
  name: string
  kind: number
  attributes: Labels
  /** Resource attributes of the exporting process. */
  resource: Labels
  /** 2 means error. */
  status: number
}

/** An exported data point of a metric. The value of a histogram is its count. */
export interface ReceivedPoint {
  name: string
  unit: string
  type: 'gauge' | 'sum' | 'histogram'
  attributes: Labels
  value: number
  sum?: number
  bounds?: number[]
  bucketCounts?: number[]
}

/** An OpenTelemetry collector on loopback that receives OTLP over HTTP as protobuf. */
export interface OtlpReceiver {
  url: string
  spans: ReceivedSpan[]
  /** Data points of the latest export. */
  points: ReceivedPoint[]
  /** Raw bodies of all requests. */
  received: Buffer[]
  /** Headers of each request. */
  headers: IncomingMessage['headers'][]
  close(): Promise<void>
}

/** Starts a collector. */
export async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const telemetry = { spans: [] as ReceivedSpan[], points: [] as ReceivedPoint[], received: [] as Buffer[] }
  const headers: IncomingMessage['headers'][] = []
  const server = createServer(async (request, reply) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    telemetry.received.push(body)
    headers.push(request.headers)
    if (request.url === '/v1/traces') telemetry.spans.push(...spansIn(body))
    else if (request.url === '/v1/metrics') telemetry.points = pointsIn(body)
    else reply.statusCode = 404
    reply.setHeader('content-type', 'application/x-protobuf').end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(telemetry, { url, headers, close })
}

/** Fields of a protobuf message by number; each value is a number or bytes. */
type Message = Map<number, (bigint | Buffer)[]>

const VARINT = 0
const FIXED64 = 1
const BYTES = 2

function messageIn(bytes: Buffer): Message {
  const fields: Message = new Map()
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at]!
      at += 1
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number): Buffer => {
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const type = tag & 7
    if (type > BYTES && type !== 5) throw new Error(`no field of protobuf has type ${type}`)
    const value = type === VARINT ? varint() : take(type === FIXED64 ? 8 : type === BYTES ? Number(varint()) : 4)
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value])
  }
  return fields
}

const inside = (message: Message, field: number): Message[] =>
  (message.get(field) ?? []).map((value) => messageIn(value as Buffer))
const textOf = (message: Message, field: number): string => String(message.get(field)?.[0] ?? '')
const hexOf = (message: Message, field: number): string =>
  ((message.get(field)?.[0] as Buffer | undefined) ?? Buffer.alloc(0)).toString('hex')
const intOf = (message: Message, field: number): number => Number((message.get(field)?.[0] as bigint | undefined) ?? 0n)
const doubleOf = (message: Message, field: number): number | undefined =>
  (message.get(field)?.[0] as Buffer | undefined)?.readDoubleLE(0)
const wholeOf = (message: Message, field: number): number | undefined => {
  const bytes = message.get(field)?.[0] as Buffer | undefined
  return bytes && Number(bytes.readBigInt64LE(0))
}
const eachOf = <T>(message: Message, field: number, read: (bytes: Buffer) => T): T[] =>
  (message.get(field) ?? []).flatMap((packed) => {
    const bytes = packed as Buffer
    return Array.from({ length: bytes.length / 8 }, (_, at) => read(bytes.subarray(at * 8)))
  })

function labelsIn(message: Message, field: number): Labels {
  return Object.fromEntries(
    inside(message, field).map((pair) => {
      const [value] = inside(pair, 2)
      const isText = value?.has(1)
      return [textOf(pair, 1), isText ? textOf(value!, 1) : value ? (doubleOf(value, 4) ?? intOf(value, 3)) : '']
    }),
  )
}

function spansIn(body: Buffer): ReceivedSpan[] {
  return inside(messageIn(body), 1).flatMap((ofResource) => {
    const resource = labelsIn(inside(ofResource, 1)[0]!, 1)
    return inside(ofResource, 2)
      .flatMap((scope) => inside(scope, 2))
      .map((span) => ({
        traceId: hexOf(span, 1),
        spanId: hexOf(span, 2),
        parentId: hexOf(span, 4),
        name: textOf(span, 5),
        kind: intOf(span, 6),
        attributes: labelsIn(span, 9),
        resource,
        status: inside(span, 15).map((status) => intOf(status, 3))[0] ?? 0,
      }))
  })
}

const SHAPES = [
  ['gauge', 5],
  ['sum', 7],
  ['histogram', 9],
] as const

function pointsIn(body: Buffer): ReceivedPoint[] {
  const metrics = inside(messageIn(body), 1)
    .flatMap((ofResource) => inside(ofResource, 2))
    .flatMap((scope) => inside(scope, 2))
  return metrics.flatMap((metric) => {
    const head = { name: textOf(metric, 1), unit: textOf(metric, 3) }
    return SHAPES.flatMap(([type, field]) =>
      inside(metric, field)
        .flatMap((shape) => inside(shape, 1))
        .map((point): ReceivedPoint => {
          if (type !== 'histogram') {
            return {
              ...head,
              type,
              attributes: labelsIn(point, 7),
              value: doubleOf(point, 4) ?? wholeOf(point, 6) ?? 0,
            }
          }
          return {
            ...head,
            type,
            attributes: labelsIn(point, 9),
            value: wholeOf(point, 4) ?? 0,
            sum: doubleOf(point, 5) ?? 0,
            bucketCounts: eachOf(point, 6, (bytes) => Number(bytes.readBigUInt64LE(0))),
            bounds: eachOf(point, 7, (bytes) => bytes.readDoubleLE(0)),
          }
        }),
    )
  })
}
