import type { Connector } from '../connector.ts'
import { json } from '../json/json.ts'
import { pullTools } from './pull-tools.ts'

/** Servers of tools that users bring: read by their resources and tools; what they deliver is any JSON. */
export const userMcp: Connector = {
  ...json,
  providers: ['user_mcp'],
  product: 'Server of tools (MCP)',
  pull: pullTools,
}
