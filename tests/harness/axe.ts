import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

/** What looks for what people with other means than a mouse and good eyes would miss. */
const AXE = readFileSync(new URL('../../packages/console/node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
const RUN = 'axe.run(document, { resultTypes: ["violations"] })'

/** What is seriously wrong with a page for such people, as it is shown now. */
export async function seriousFindings(page: Page): Promise<unknown[]> {
  await page.evaluate(AXE)
  const { violations } = await page.evaluate<{ violations: { impact: string }[] }>(RUN)
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
}
