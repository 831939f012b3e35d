import type { Call, TestApp } from './test-app.ts'

const TRY_MS = 50

/** Returns a `call` that sends this customer-managed key with every request. */
export function withKey(call: Call, key: Buffer): Call {
  return (method, path, body, headers) =>
    call(method, path, body, { 'x-encryption-key': key.toString('base64'), ...headers })
}

/** Resolves once the server process holds no key of the sandbox. Background work with the key may take any time. */
export async function keyForgotten(app: TestApp, sandboxId: string): Promise<void> {
  while (app.cairn.app.seals.findAny(sandboxId)) await new Promise((resolve) => setTimeout(resolve, TRY_MS))
}
