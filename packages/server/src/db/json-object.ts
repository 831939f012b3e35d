export type JsonObject = Record<string, unknown>
