import type { Answer, Call, TestApp } from './test-app.ts'

const ORIGIN = 'http://127.0.0.1:8484'

/** A browser that stores the cookies of one service, with a page of that service. */
export interface Browser {
  /** Cookies by name. */
  readonly cookies: Map<string, string>
  /** Sends a request as a page of the service does: with cookies, its origin and the CSRF header. */
  readonly call: Call
  /** Navigates to an address. */
  open(path: string): Promise<Answer>
  /** Sends a request with cookies and only these headers. */
  bare: Call
}

/** Returns a browser without cookies. */
export function newBrowser(app: Pick<TestApp, 'anonymous'>, origin = ORIGIN): Browser {
  const cookies = new Map<string, string>()
  const bare: Call = async (method, path, body, headers = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const sent = { ...(cookie !== '' && { cookie }), ...headers }
    const answer = await app.anonymous(method, path, body, sent)
    keep(cookies, answer)
    return answer
  }
  return {
    cookies,
    bare,
    call: (method, path, body, headers = {}) =>
      bare(method, path, body, { origin, 'x-cairn-request': '1', ...headers }),
    open: (path) => bare('GET', path, undefined, { accept: 'text/html' }),
  }
}

function keep(cookies: Map<string, string>, { headers }: Answer): void {
  const set = (headers as Record<string, string | string[] | undefined>)['set-cookie'] ?? []
  for (const each of [set].flat()) {
    const [pair = ''] = each.split(';')
    const at = pair.indexOf('=')
    if (/Max-Age=0(;|$)/.test(each)) cookies.delete(pair.slice(0, at))
    else cookies.set(pair.slice(0, at), pair.slice(at + 1))
  }
}

/** Invites a user and accepts the invitation in a new browser. Returns the browser and the reply. */
export async function joinBy(app: TestApp, inviting: Call, invitation: object, name = 'A person') {
  const { status, body } = await inviting('POST', '/api/v1/invitations', invitation)
  if (status !== 201) throw new Error(JSON.stringify(body))
  const code = codeIn(body.url)
  const browser = newBrowser(app)
  const joined = await browser.call('POST', '/api/v1/auth/invitation', { code, display_name: name })
  if (joined.status !== 200) throw new Error(JSON.stringify(joined.body))
  return { ...browser, code, memberId: joined.body.member_id as string }
}

/** Returns the code in an invitation link. */
export function codeIn(url: string): string {
  return /(?:#i|[?&]invitation)=(.*)$/.exec(url)?.[1] ?? ''
}
