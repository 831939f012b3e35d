// Pages of the guide in the order of its sidebar. Each is a file of this repository, which is the only copy of its
// text.

/**
 * A page: its file, and the sections of other files that precede it.
 * @typedef {{ page: string, from: string, name: string, parts?: { from: string, heading: string }[] }} Page
 */

/** @type {{ heading: string, pages: Page[] }[]} */
export const SECTIONS = [
  {
    heading: 'Start',
    pages: [
      {
        page: 'quickstart',
        from: 'docs/quickstart.md',
        name: 'Quickstart',
        parts: ['Start', 'One answer', 'Your own files'].map((heading) => {
          return { from: 'README.md', heading }
        }),
      },
      { page: 'concepts', from: 'docs/concepts.md', name: 'Concepts' },
      { page: 'glossary', from: 'docs/glossary.md', name: 'Glossary' },
      { page: 'console', from: 'docs/console.md', name: 'The console' },
      { page: 'cli', from: 'docs/cli.md', name: 'The command line' },
    ],
  },
  {
    heading: 'Use',
    pages: [
      { page: 'questions', from: 'docs/questions.md', name: 'Ask' },
      { page: 'better-answers', from: 'docs/better-answers.md', name: 'Why is an answer bad?' },
      { page: 'feedback', from: 'docs/feedback.md', name: 'Stored answers and feedback' },
      { page: 'evaluate', from: 'docs/evaluate.md', name: 'Evaluate answers' },
      { page: 'languages', from: 'docs/languages.md', name: 'Languages' },
      { page: 'records', from: 'docs/records.md', name: 'Records' },
      { page: 'facts', from: 'docs/facts.md', name: 'Facts from texts' },
      { page: 'imports', from: 'docs/imports.md', name: 'Imports' },
      { page: 'documents', from: 'docs/documents.md', name: 'Documents' },
      { page: 'connectors', from: 'docs/connectors.md', name: 'Connect products' },
      { page: 'connect-mcp', from: 'docs/connect-mcp.md', name: 'Connect a hosted MCP server' },
      { page: 'teams', from: 'docs/teams.md', name: 'Teams' },
      { page: 'webhooks', from: 'docs/webhooks.md', name: 'Webhooks' },
      { page: 'models', from: 'docs/models.md', name: 'Models' },
    ],
  },
  {
    heading: 'Build',
    pages: [
      { page: 'mcp', from: 'docs/mcp.md', name: 'Connect an agent (MCP)' },
      { page: 'clients', from: 'docs/clients.md', name: 'Clients' },
      { page: 'adapters', from: 'docs/adapters.md', name: 'Adapters' },
      { page: 'stability', from: 'docs/stability.md', name: 'Stability' },
    ],
  },
  {
    heading: 'Run',
    pages: [
      { page: 'self-hosting', from: 'docs/self-hosting.md', name: 'Self-host' },
      { page: 'proxy', from: 'docs/proxy.md', name: 'TLS proxy' },
      { page: 'kubernetes', from: 'docs/kubernetes.md', name: 'Kubernetes' },
      { page: 'upgrading', from: 'docs/upgrading.md', name: 'Upgrade' },
      { page: 'operating', from: 'docs/operating.md', name: 'Operate' },
      { page: 'runbooks', from: 'docs/runbooks.md', name: 'When something is wrong' },
      { page: 'backups', from: 'docs/backups.md', name: 'Backups' },
      { page: 'postgres', from: 'docs/postgres.md', name: 'PostgreSQL' },
      { page: 'scale', from: 'docs/scale.md', name: 'Several processes' },
      { page: 'settings', from: 'docs/settings.md', name: 'Settings' },
    ],
  },
  {
    heading: 'Trust',
    pages: [
      { page: 'security', from: 'SECURITY.md', name: 'Security' },
      { page: 'accounts', from: 'docs/accounts.md', name: 'Accounts and keys' },
      { page: 'caller-keys', from: 'docs/caller-keys.md', name: 'Customer-managed keys' },
      { page: 'measurements', from: 'docs/measurements.md', name: 'Measurements' },
    ],
  },
]

/** @type {Page[]} */
export const PAGES = SECTIONS.flatMap(({ pages }) => pages)
