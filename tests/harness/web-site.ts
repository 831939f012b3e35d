import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A resource of a test site. Without a status it is 200. */
export interface WebResource {
  body?: string | Uint8Array
  type?: string
  status?: number
  headers?: Record<string, string>
  /** True to close the connection without a reply. */
  isCut?: boolean
}

/** A web site on loopback. Paths that it does not have are 404. */
export interface WebSite {
  readonly url: string
  readonly resources: Map<string, WebResource>
  /** Every request: its path, the status of the reply, and whether it was conditional. */
  readonly asked: { path: string; status: number; isConditional: boolean; userAgent: string | undefined }[]
  close(): Promise<void>
}

/** Starts a web site that answers conditional requests by `etag` and `last-modified`. */
export async function openWebSite(): Promise<WebSite> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const found = site.resources.get(path) ?? { status: 404 }
    if (found.isCut) {
      site.asked.push({ path, status: 0, isConditional: false, userAgent: request.headers['user-agent'] })
      response.destroy()
    } else answer(request, response, found)
  })
  const answer = (request: IncomingMessage, response: ServerResponse, found: WebResource) => {
    const { body = '', type = 'text/html; charset=utf-8', headers = {} } = found
    const { 'if-none-match': etag, 'if-modified-since': modified, 'user-agent': userAgent } = request.headers
    const isSame =
      (etag !== undefined && etag === headers.etag) || (modified !== undefined && modified === headers['last-modified'])
    const status = found.status ?? (isSame ? 304 : 200)
    const isConditional = etag !== undefined || modified !== undefined
    site.asked.push({ path: request.url ?? '/', status, isConditional, userAgent })
    response.writeHead(status, { 'content-type': type, ...headers })
    response.end(status === 304 ? undefined : body)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const site: WebSite = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    resources: new Map(),
    asked: [],
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return site
}

/** Returns a page with a title and paragraphs. */
export function htmlPage(title: string, ...paragraphs: string[]): string {
  const text = paragraphs.map((each) => `<p>${each}</p>`).join('')
  return `<!doctype html><html><head><title>${title}</title></head><body><main>${text}</main></body></html>`
}

/** Returns a sitemap of these addresses. */
export function sitemapOf(...addresses: string[]): string {
  const urls = addresses.map((address) => `<url><loc>${address}</loc></url>`).join('')
  return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`
}
