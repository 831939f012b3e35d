/** A JSON object in a column. */
export type JsonObject = Record<string, unknown>
