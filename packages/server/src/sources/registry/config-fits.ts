import { invalid } from '../../base/fault.ts'
import type { JsonObject } from '../../db/json-object.ts'
import { connectorFor } from '../connectors/connector-for.ts'

/** Throws `validation_error` for settings that the provider's connector cannot follow. */
export function assertConfigFits(provider: string, config: JsonObject | undefined): void {
  const problem = config && connectorFor(provider).configProblem?.(config)
  if (problem) throw invalid(['body', 'adapter_config'], problem, 'wrong_form')
}
