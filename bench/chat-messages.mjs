// Converts chats with an assistant to messages as a client sends them: each turn is a record of its session.

/** Boundary between two turns of a chat transcript with speaker labels. */
const TURN = /\n(?=(?:user|assistant): )/
const SPOKEN = /^(user|assistant): ([\s\S]*)$/
/** Milliseconds between the messages of a chat. */
const APART_MS = 1000

/**
 * Returns the messages of chats as they are stored, each with the chat as its session.
 * @param {readonly import('./sandbox.mjs').Sent[]} chats
 */
export function messagesOf(chats) {
  return chats.flatMap(({ external_id: session, text = '', occurred_at: at = '' }) =>
    text.split(TURN).flatMap((turn, place) => {
      const [, role, said = ''] = SPOKEN.exec(turn) ?? []
      if (!role || !said.trim()) return []
      return [
        {
          external_id: `session/${session}/at/${place}`,
          type: 'message',
          text: said,
          occurred_at: new Date(Date.parse(at) + place * APART_MS).toISOString(),
          ...(role === 'assistant' && { author: { type: 'agent', name: role } }),
          properties: { session, role },
        },
      ]
    }),
  )
}
