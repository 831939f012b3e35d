/** Returns a person entity as a record declares it. */
export function person(name: string, identifiers: object, properties?: object) {
  return { type: 'person', name, identifiers, ...(properties && { properties }) }
}

/** Returns a message to ingest, dated on a day of July 2026. */
export function message(id: string, text: string, author: unknown, day = 1) {
  const occurredAt = new Date(Date.UTC(2026, 6, day)).toISOString()
  return { external_id: id, type: 'message', text, author, occurred_at: occurredAt }
}
