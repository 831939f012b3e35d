/** An unusable setting. The message names it and says what to set instead. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}
