// `npm run cli`: writes docs/cli.md from the help texts of the command line. A test compares them.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'

const PAGE = fileURLToPath(new URL('../docs/cli.md', import.meta.url))
const USAGE = new URL('../packages/cli/dist/usage.js', import.meta.url)

/**
 * Returns the command line page in Markdown.
 * @param {{ overview: string, own: { name: string, text: string }[] }} texts help texts of the program
 * @returns {string}
 */
export function cliPage({ overview, own }) {
  const fence = '```'
  const commands = own.map(({ name, text }) => {
    return `## ${name}\n\n${fence}text\n${withoutShared(text).trimEnd()}\n${fence}\n`
  })
  return `# The command line

In a clone that is built (\`npm run build\` or one \`npm start\`), for \`bash\` or \`zsh\`. The package \`cairn\` on
npm is another project.

\`\`\`sh
CLONE=$PWD && cairn() { node "$CLONE/packages/cli/bin/cairn.js" "$@"; }
eval "$(cairn completion bash)"                  # or zsh; fish: cairn completion fish | source
cairn init
cairn add ~/notes
cairn ask "What is still open?"
cairn doctor                                     # find problems and fixes
\`\`\`

A profile is an address, a key and a sandbox. \`init\` writes one; \`--profile\` names another. Flags override the
environment, which overrides the default profile. A profile's key is only sent to its own service.

\`\`\`text
${overview.trimEnd()}
\`\`\`

Lists fetch all pages; \`--limit\` shows fewer. After 429 a command waits as long as the service asks. Commands that
cannot be undone need \`--yes\`:

\`\`\`text
$ cairn accounts erase acct_1k7sujprm00ulfjpprpl5b1sqs
cairn: Erase an account and all its data: this cannot be undone. Add --yes to confirm.
\`\`\`

The commands below also take the options listed above, and \`--sandbox\` where they work in one. \`npm run cli\` writes
this page.

${commands.join('\n')}`
}

/**
 * Removes the options that every command has: an option's line and its indented continuation lines.
 * @param {string} text
 * @returns {string}
 */
function withoutShared(text) {
  return text
    .replaceAll(/^ {2}--(?:json|quiet|profile TEXT|sandbox TEXT +The sandbox, by id) .*\n(?: {5,}.*\n)*/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  build()
  const { usageTexts } = await import(USAGE.href)
  writeFileSync(PAGE, cliPage(usageTexts()))
}
