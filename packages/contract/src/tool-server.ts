/** Every reason for which a check of a tool server can fail, with the sentence that says it. */
export const HEALTH_ERRORS = {
  blocked_address: 'The address is inside a network and is not called.',
  dns_failed: 'The name of the server has no address.',
  connect_failed: 'The server could not be reached, or broke off.',
  tls_failed: 'The server’s certificate was not accepted.',
  timeout: 'The server took too long.',
  auth_rejected: 'The server refused the credential.',
  rate_limited: 'The server asked to wait.',
  protocol_error: 'The server did not answer as the Model Context Protocol says.',
  response_too_large: 'An answer of the server is too large.',
  too_many_tools: 'The server lists more tools than are taken.',
  allowed_tool_missing: 'The server has no tool of a name that is needed.',
} as const

/** A reason for which a check of a tool server can fail. */
export type HealthError = keyof typeof HEALTH_ERRORS
