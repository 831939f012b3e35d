/** A page of the guide: its file, and the sections of other files that are shown before its text. */
export interface GuidePage {
  page: string
  /** Path in the repository. */
  from: string
  name: string
  parts?: readonly { from: string; heading: string }[]
}

const docs = (page: string, name: string): GuidePage => ({ page, from: `docs/${page}.md`, name })

/** Pages in the order of the sidebar. Each is a file of the repository, so its text exists only once. */
export const SECTIONS: readonly { heading: string; pages: readonly GuidePage[] }[] = [
  {
    heading: 'Start',
    pages: [
      {
        ...docs('quickstart', 'Quickstart'),
        parts: ['Start', 'One answer', 'Your own files'].map((heading) => ({ from: 'README.md', heading })),
      },
      docs('concepts', 'Concepts'),
      docs('glossary', 'Glossary'),
      docs('console', 'The console'),
      docs('cli', 'The command line'),
    ],
  },
  {
    heading: 'Use',
    pages: [
      docs('questions', 'Ask'),
      docs('better-answers', 'Why is an answer bad?'),
      docs('feedback', 'Stored answers and feedback'),
      docs('evaluate', 'Evaluate answers'),
      docs('languages', 'Languages'),
      docs('records', 'Records'),
      docs('facts', 'Facts from texts'),
      docs('imports', 'Imports'),
      docs('documents', 'Documents'),
      docs('connectors', 'Connect products'),
      docs('connect-mcp', 'Connect a hosted MCP server'),
      docs('teams', 'Teams'),
      docs('webhooks', 'Webhooks'),
      docs('models', 'Models'),
    ],
  },
  {
    heading: 'Build',
    pages: [
      docs('mcp', 'Connect an agent (MCP)'),
      docs('clients', 'Clients'),
      docs('adapters', 'Adapters'),
      docs('stability', 'Stability'),
    ],
  },
  {
    heading: 'Run',
    pages: [
      docs('self-hosting', 'Self-host'),
      docs('proxy', 'TLS proxy'),
      docs('kubernetes', 'Kubernetes'),
      docs('upgrading', 'Upgrade'),
      docs('operating', 'Operate'),
      docs('runbooks', 'When something is wrong'),
      docs('backups', 'Backups'),
      docs('postgres', 'PostgreSQL'),
      docs('scale', 'Several processes'),
      docs('settings', 'Settings'),
    ],
  },
  {
    heading: 'Trust',
    pages: [
      { page: 'security', from: 'SECURITY.md', name: 'Security' },
      docs('accounts', 'Accounts and keys'),
      docs('caller-keys', 'Customer-managed keys'),
      docs('measurements', 'Measurements'),
    ],
  },
]

export const PAGES: readonly GuidePage[] = SECTIONS.flatMap(({ pages }) => pages)

/** Text of the first page. */
export const HOME = {
  title: 'Answers from your records',
  tagline:
    'A multi-tenant knowledge store. It ingests your tools and files, links the names that mean the same thing, and ' +
    'answers with short, cited passages.',
  features: [
    { page: 'questions', title: 'Ask', details: 'Answers are passages of stored records, each with its source.' },
    { page: 'records', title: 'Ingest', details: 'Records, files, exports of other products, and webhooks.' },
    { page: 'mcp', title: 'Agents', details: 'Claude Code, Codex, Cursor, VS Code and other MCP hosts.' },
    { page: 'clients', title: 'Clients', details: 'TypeScript and Python, and adapters for frameworks.' },
    {
      page: 'self-hosting',
      title: 'Run it',
      details: 'One process on embedded storage, or several on PostgreSQL and S3.',
    },
    { page: 'measurements', title: 'Measurements', details: 'Speed and quality, each figure with its command.' },
  ],
} as const
