/** A setting that cannot be used; its message says which and what to set instead. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}
