import { t } from '../language/language.ts'

/** An MCP host with the configuration that connects it. */
export interface HostSetting {
  /** Contains no spaces, because it is part of an element's id. */
  id: string
  host: string
  where: string
  text: string
}

/** Placeholder for the key. The user replaces it, or the host asks for the key. */
const KEY = 'YOUR_KEY'

/** Returns the configuration for each host; `key` fills in a key that was just created. */
export function hostSettings(url: string, sandboxId: string, key = KEY): HostSetting[] {
  const address = `${url}/mcp/${sandboxId}`
  const json = (value: unknown) => JSON.stringify(value, null, 2)
  const server = { url: address, headers: { Authorization: `Bearer ${key}` } }
  return [
    {
      id: 'claude-code',
      host: 'Claude Code',
      where: t('Run in a terminal:'),
      text: `claude mcp add --transport http cairn ${address} --header "Authorization: Bearer ${key}"`,
    },
    {
      id: 'cursor',
      host: 'Cursor',
      where: t('Put into .cursor/mcp.json:'),
      text: json({ mcpServers: { cairn: server } }),
    },
    {
      id: 'vs-code',
      host: 'VS Code',
      where: t('Put into .vscode/mcp.json; it asks for the key:'),
      text: json({
        inputs: [{ type: 'promptString', id: 'cairn-key', description: t('Cairn key'), password: true }],
        servers: {
          // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code fills it in
          cairn: { type: 'http', url: address, headers: { Authorization: 'Bearer ${input:cairn-key}' } },
        },
      }),
    },
    {
      id: 'claude-desktop',
      host: 'Claude Desktop',
      where: t('Put into claude_desktop_config.json, with the path of your clone:'),
      text: json({
        mcpServers: {
          cairn: {
            command: 'node',
            args: ['/path/to/cairn/packages/cli/bin/cairn.js', 'mcp', '--sandbox', sandboxId],
            env: { CAIRN_URL: url, CAIRN_API_KEY: key },
          },
        },
      }),
    },
  ]
}
