import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet, { type HelmetOptions } from 'helmet'

/** The headers of every reply: nothing may be guessed, framed, run, embedded elsewhere or kept. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  ...headersOf({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  }),
}

/** The policy of the page at `/docs`: scripts and calls to this service alone; the page's library styles inline. */
export const DOCS_POLICY = headersOf({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
})['content-security-policy'] as string

/** The policy of the console: its own files and calls to this service alone; no style or script stands in its page. */
export const CONSOLE_POLICY = headersOf({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
})['content-security-policy'] as string

/** The policy of the guide: its own files, the scripts inside its pages that have these digests, and its signs. */
export function guidePolicy(scripts: readonly string[]): string {
  return headersOf({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'", ...scripts.map((digest) => `'${digest}'`)],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
  })['content-security-policy'] as string
}

/** What is added to a reply over TLS: the browser comes back over TLS for a year. */
export const TLS_HEADERS = { 'strict-transport-security': 'max-age=31536000' } as const

/** The headers that helmet sets. They are the same for every request, so they are asked for once. */
function headersOf({ contentSecurityPolicy }: HelmetOptions): Record<string, string> {
  const reply = new ServerResponse(new IncomingMessage(new Socket()))
  const setHeaders = helmet({
    contentSecurityPolicy,
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: false,
  })
  setHeaders(reply.req, reply, () => {})
  return reply.getHeaders() as Record<string, string>
}
