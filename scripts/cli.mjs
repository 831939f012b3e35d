// `npm run cli`: writes docs/cli.md from the texts that the command line prints, which a test compares.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'

const PAGE = fileURLToPath(new URL('../docs/cli.md', import.meta.url))
const USAGE = new URL('../packages/cli/dist/usage.js', import.meta.url)

/**
 * The page of the command line, in Markdown.
 * @param {{ overview: string, own: { name: string, text: string }[] }} texts what it prints when it is asked for help
 * @returns {string}
 */
export function cliPage({ overview, own }) {
  const commands = own.map(({ name, text }) => `## ${name}\n\n\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`)
  return `# The command line

\`cairn\` is \`packages/cli/bin/cairn.js\` in a clone that is built (\`npm run build\`, or one \`npm start\`). It is on
no registry: the package \`cairn\` on npm belongs to another project. In the clone, for \`bash\` or \`zsh\`:

\`\`\`sh
CLONE=$PWD && cairn() { node "$CLONE/packages/cli/bin/cairn.js" "$@"; }
eval "$(cairn completion bash)"                  # or zsh; fish: cairn completion fish | source
cairn init
cairn add ~/notes
cairn ask "What is still open?"
cairn doctor                                     # what is wrong, and what to do
\`\`\`

A profile is an address, a key and a sandbox. \`init\` writes one; \`--profile\` names another. A flag outranks
the environment, which outranks the default profile, and the key of a profile goes to its own service alone. \`npm run
cli\` writes this page from the texts below.

\`\`\`text
${overview.trimEnd()}
\`\`\`

Lists turn their pages by themselves; \`--limit\` shows fewer. Where the service takes no more for now (429), a command
waits as long as it is told, and says so. What cannot be undone wants \`--yes\`:

\`\`\`text
$ cairn accounts erase acct_1k7sujprm00ulfjpprpl5b1sqs
cairn: Erase an account and everything it holds: this cannot be undone. Repeat it with --yes to do it.
\`\`\`

${commands.join('\n')}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  build()
  const { usageTexts } = await import(USAGE.href)
  writeFileSync(PAGE, cliPage(usageTexts()))
}
