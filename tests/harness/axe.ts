import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

/** Source of axe-core, an accessibility checker. */
const AXE = readFileSync(new URL('../../packages/console/node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
const RUN = 'axe.run(document, { resultTypes: ["violations"] })'

/** Returns the serious and critical accessibility violations of a page in its current state. */
export async function seriousFindings(page: Page): Promise<unknown[]> {
  await page.evaluate(AXE)
  const { violations } = await page.evaluate<{ violations: { impact: string }[] }>(RUN)
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
}
