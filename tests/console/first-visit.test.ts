import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { BUILT, buildConsole } from '../../scripts/console.mjs'

/** Maximum compressed bytes that a first visit may load. */
const FIRST_BYTES_MAX = 350 * 1024

beforeAll(buildConsole)

it('a first visit loads at most 350 KB, only from its own origin', () => {
  const page = readFileSync(join(BUILT, 'index.html'), 'utf8')
  const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path as string)
  const own = loaded.filter((path) => path !== '/docs')
  expect(own.filter((path) => !path.startsWith('/console/'))).toEqual([])
  const files = own.map((path) => readFileSync(join(BUILT, path.replace('/console/', ''))))
  const bytes = [Buffer.from(page), ...files].reduce((sum, file) => sum + gzipSync(file).length, 0)
  expect(bytes).toBeLessThan(FIRST_BYTES_MAX)
  expect(page).not.toMatch(/<style|<script>|style=|onload=/)
})
