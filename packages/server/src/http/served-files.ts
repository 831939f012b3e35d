import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sha256 } from '../base/digest.ts'
import { encodedOnce } from './shown-pages.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
}

/** For a file whose name holds a digest of what is in it. */
export const NEVER_CHANGES = 'public, max-age=31536000, immutable'
export const ASKED_EACH_TIME = 'no-cache'

/** A built file as it is sent. */
export interface ServedFile {
  type: string
  digest: string
  encoded: ReturnType<typeof encodedOnce>
  caching: string
  policy: string
}

/** Reads a file of a folder, to be sent with this `Cache-Control` and under this policy. */
export function servedFrom(folder: string, path: string, caching: string, policy: string): ServedFile {
  const bytes = readFileSync(join(folder, path))
  const type = TYPES[extname(path)] ?? 'application/octet-stream'
  return { type, caching, policy, digest: sha256(bytes).toString('base64url'), encoded: encodedOnce(bytes) }
}

/** Sends a file, or says that it is what the reader has. */
export async function sendServed(
  file: ServedFile,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { 'if-none-match': known, 'accept-encoding': accepted } = request.headers
  const { body, headers } = await file.encoded(accepted)
  const { vary, 'content-encoding': encoding } = headers
  // A strong tag names these very bytes, so each encoding has its own.
  const etag = `"${file.digest}${encoding ? `-${encoding}` : ''}"`
  reply.headers({ etag, vary, 'cache-control': file.caching, 'content-security-policy': file.policy })
  if (known?.includes(file.digest)) return reply.status(304).send()
  return reply.type(file.type).headers(headers).send(body)
}
