/** A question with its options, service and sandbox. */
export interface SnippetQuestion {
  url: string
  sandboxId: string
  query: string
  reference_date?: string
  project_id?: string
}

/** Formats in which a question can be copied. */
export const SNIPPET_KINDS = ['curl', 'TypeScript', 'Python', 'MCP'] as const
export type SnippetKind = (typeof SNIPPET_KINDS)[number]

/**
 * Returns code that asks the same question from a terminal, a program or an agent. It contains no key, but reads
 * `CAIRN_API_KEY`.
 */
export function snippetOf(kind: SnippetKind, question: SnippetQuestion): string {
  return WRITERS[kind](question)
}

const WRITERS: Record<SnippetKind, (asked: SnippetQuestion) => string> = {
  curl: ({ url, sandboxId, ...body }) =>
    [
      `curl -s '${url}/api/v1/query/sandboxes/${sandboxId}/search' \\`,
      `  -H "Authorization: Bearer $CAIRN_API_KEY" \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
    ].join('\n'),
  TypeScript: ({ url, sandboxId, query, ...beside }) =>
    [
      `import { Cairn } from '@cairnstore/client'`,
      '',
      `const cairn = new Cairn({ url: '${url}', sandbox: '${sandboxId}' }) // the key: CAIRN_API_KEY`,
      `const { answer, citations } = await cairn.ask(${[JSON.stringify(query), ...objectOf(beside)].join(', ')})`,
    ].join('\n'),
  Python: ({ url, sandboxId, query, ...beside }) =>
    [
      'from cairnstore import Cairn',
      '',
      `cairn = Cairn(url="${url}", sandbox="${sandboxId}")  # the key: CAIRN_API_KEY`,
      `reply = cairn.ask(${[JSON.stringify(query), ...keywordsOf(beside)].join(', ')})`,
      'print(reply.answer)',
    ].join('\n'),
  MCP: ({ url, sandboxId, query, reference_date, project_id }) =>
    JSON.stringify(
      {
        server: `${url}/mcp/${sandboxId}`,
        tool: 'ask',
        arguments: { question: query, ...(reference_date && { reference_date }), ...(project_id && { project_id }) },
      },
      null,
      2,
    ),
}

function objectOf(beside: object): string[] {
  const set = Object.entries(beside).filter(([, value]) => value !== undefined)
  return set.length === 0 ? [] : [`{ ${set.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', ')} }`]
}

function keywordsOf(beside: object): string[] {
  return Object.entries(beside).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${JSON.stringify(value)}`],
  )
}
