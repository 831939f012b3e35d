import { newId } from '../../packages/server/src/base/id.ts'
import type { Answer, Call, TestApp } from './test-app.ts'

/** Request functions of one caller. */
export interface Requests {
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  patch(path: string, body?: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
}

/** A user with an account. */
export interface Person extends Requests {
  userId: string
  key: string
  /** Creates a sandbox for the owner `owner` and returns its id. */
  newSandbox(): Promise<string>
}

/** Base path of sandboxes. */
export const SANDBOXES = '/api/v1/storage/sandboxes'

/** Creates an account and its user. */
export async function newPerson({ clock, newAccount }: TestApp): Promise<Person> {
  const { userId, key, call } = await newAccount()
  const newSandbox = async () => {
    const { body } = await call('POST', SANDBOXES, { name: newId('sandbox', clock), owner_id: 'owner' })
    return body.sandbox_id as string
  }
  return { ...requests(call), userId, key, newSandbox }
}

/** Returns request functions that send this bearer token. */
export function withToken({ anonymous }: TestApp, token: string): Requests {
  return requests((method, path, body) => anonymous(method, path, body, { authorization: `Bearer ${token}` }))
}

function requests(call: Call): Requests {
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    patch: (path, body) => call('PATCH', path, body),
    delete: (path) => call('DELETE', path),
  }
}
