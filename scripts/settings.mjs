// `npm run settings`: writes docs/settings.md from the settings that the service reads. A test compares them.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'

const PAGE = fileURLToPath(new URL('../docs/settings.md', import.meta.url))
const READER = new URL('../packages/server/dist/config/env.js', import.meta.url)

/**
 * Returns the settings page in Markdown.
 * @param {Readonly<Record<string, string>>} settings the meaning of each, by name
 * @returns {string}
 */
export function settingsPage(settings) {
  const rows = Object.entries(settings).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`)
  return `# Settings

Configure the service with environment variables, read at the start. All are optional. \`npm run settings\`
generates this page from \`packages/server/src/config/env.ts\`. [The command line](cli.md) has its own settings.

| setting | meaning |
|---|---|
${rows.join('\n')}
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  build()
  const { SETTINGS } = await import(READER.href)
  writeFileSync(PAGE, settingsPage(SETTINGS))
}
