/** A JSON object as it is stored in a column. */
export type JsonObject = Record<string, unknown>
