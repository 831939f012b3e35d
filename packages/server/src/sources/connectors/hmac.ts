import { hmacSha256, sameDigest } from '../../base/digest.ts'

const HEX = /^[0-9a-f]{64}$/i

/** Whether `signature` is the HMAC-SHA-256 of the signed bytes in hexadecimal, told in constant time. */
export function isHmac(secret: string, signed: string | Uint8Array, signature: string | undefined): boolean {
  if (signature === undefined || !HEX.test(signature)) return false
  return sameDigest(hmacSha256(Buffer.from(secret), signed), Buffer.from(signature, 'hex'))
}
