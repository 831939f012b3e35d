import type { Call, TestApp } from './test-app.ts'

const TRIES_MAX = 200
const TRY_MS = 50

/** Returns a `call` that sends this customer-managed key with every request. */
export function withKey(call: Call, key: Buffer): Call {
  return (method, path, body, headers) =>
    call(method, path, body, { 'x-encryption-key': key.toString('base64'), ...headers })
}

/** Resolves once the server process holds no key of the sandbox. */
export async function keyForgotten(app: TestApp, sandboxId: string): Promise<void> {
  for (let tries = 0; app.cairn.app.seals.findAny(sandboxId); tries++) {
    if (tries > TRIES_MAX) throw new Error('The key is still held.')
    await new Promise((resolve) => setTimeout(resolve, TRY_MS))
  }
}
