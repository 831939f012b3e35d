import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

/** Source of axe-core, an accessibility checker. */
const AXE = readFileSync(new URL('../../packages/console/node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
const RUN = 'axe.run(document, { resultTypes: ["violations"] })'

/** Returns the accessibility violations of a page in its current state. */
export async function axeFindings(page: Page): Promise<{ impact: string }[]> {
  await page.evaluate(AXE)
  return (await page.evaluate<{ violations: { impact: string }[] }>(RUN)).violations
}

/** Returns the serious and critical ones of these violations. */
export async function seriousFindings(page: Page): Promise<unknown[]> {
  return (await axeFindings(page)).filter(({ impact }) => impact === 'serious' || impact === 'critical')
}
