import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { buildConsole } from '../../scripts/console.mjs'
import { newDatabase, RUN_ON } from './postgres.ts'
import { type RealProcess, startProcess } from './real-process.ts'
import { type Answer, type Call, TEST_MASTER_KEY } from './test-app.ts'

/** Path of Debian's `chromium` package. */
const CHROMIUM = '/usr/bin/chromium'
const QUIETLY = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync']
const NO_NETWORK = ['--disable-background-networking', '--disable-component-update']

/** Paths of the pages in the menu, and of the page that creates a sandbox. */
export const CONSOLE_PAGES = [
  '/',
  '/answers',
  '/evaluations',
  '/add',
  '/sources',
  '/entities',
  '/review',
  '/records',
  '/projects',
  '/people',
  '/keys',
  '/jobs',
  '/usage',
  '/audit',
  '/sandboxes/new',
]
/** Script that returns by how many pixels a page is wider than the window. */
export const OVERHANG = 'document.documentElement.scrollWidth - innerWidth'

/** The console of a real server process in a browser, and the API of that process. */
export interface ConsoleInBrowser {
  url: string
  apiKey: string
  call: Call
  /** Opens a signed-in tab at this path of the console. */
  open(path?: string, look?: Look & { key?: string }): Promise<Page>
  /** Opens a tab at this absolute URL without signing in. */
  visit(address: string, look?: Look): Promise<Page>
  /** Errors of scripts, violations of the content security policy and requests to other hosts. There must be none. */
  faults: string[]
}

interface Look {
  width?: number
  scheme?: 'light' | 'dark'
  /** The language of the browser. */
  locale?: string
}

/**
 * Starts a process and a browser for the suite, on the first SQL engine of this run or on `kind`. Pages may send
 * requests to the process and to the identity provider. A page with faults fails the suite at its end.
 */
export function onConsole(
  env: Record<string, string> = {},
  { kind = RUN_ON[0] ?? 'pglite', provider }: { kind?: (typeof RUN_ON)[number]; provider?: string } = {},
): () => ConsoleInBrowser {
  let served: RealProcess
  let browser: Browser
  const faults: string[] = []
  beforeAll(async () => {
    if (!existsSync(CHROMIUM)) throw new Error(`There is no ${CHROMIUM}: apt-get install chromium.`)
    buildConsole()
    const place = kind === 'postgres' ? (await newDatabase(kind)).target : undefined
    const engine = place && 'url' in place && { DATABASE_URL: place.url, CAIRN_MASTER_KEY: TEST_MASTER_KEY }
    served = await startProcess({ ...engine, ...env })
    browser = await chromium.launch({ executablePath: CHROMIUM, args: [...QUIETLY, ...NO_NETWORK] })
  })
  afterAll(async () => {
    await browser?.close()
    await served?.stop()
    if (faults.length > 0)
      throw new Error(`Pages violated the content security policy or logged errors:\n${faults.join('\n')}`)
  })
  return () => {
    const { url, apiKey } = served
    const visit = visitor(() => browser, [url, ...(provider ? [provider] : [])], faults)
    return { url, apiKey, faults, call: callerOf(url, apiKey), visit, open: opener(visit, url, apiKey) }
  }
}

function opener(visit: ConsoleInBrowser['visit'], url: string, apiKey: string): ConsoleInBrowser['open'] {
  return async (path = '', { key = apiKey, ...look } = {}) => {
    const page = await visit(`${url}/console${path}`, look)
    await page.getByLabel(/^API(?: key|-Schlüssel)$/).fill(key)
    await page.getByRole('button', { name: /^(?:Sign in|Anmelden)$/ }).click()
    await page.locator('nav').waitFor({ state: 'attached' })
    return page
  }
}

function visitor(browser: () => Browser, allowed: readonly string[], faults: string[]): ConsoleInBrowser['visit'] {
  return async (address, { width = 1280, scheme = 'light', locale = 'en-US' } = {}) => {
    const path = new URL(address).pathname
    const context = await browser().newContext({ viewport: { width, height: 800 }, colorScheme: scheme, locale })
    const page = await context.newPage()
    page.on('pageerror', ({ message }) => faults.push(`${path}: ${message}`))
    page.on('dialog', (dialog) => {
      faults.push(`${path}: a dialogue opened`)
      return dialog.dismiss()
    })
    page.on('console', (said) => {
      if (/Content Security Policy|Trusted Type/.test(said.text())) faults.push(`${path}: ${said.text()}`)
    })
    page.on('request', (request) => {
      if (!allowed.some((each) => request.url().startsWith(`${each}/`))) faults.push(`${path}: asked ${request.url()}`)
    })
    await page.goto(address)
    return page
  }
}

function callerOf(url: string, apiKey: string): Call {
  return async (method, path, body, headers = {}) => {
    const reply = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    return {
      status: reply.status,
      headers: Object.fromEntries(reply.headers),
      body: text === '' ? undefined : JSON.parse(text),
    } satisfies Answer
  }
}
