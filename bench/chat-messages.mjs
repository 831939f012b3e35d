// Chats with an assistant as the messages that a client sends: each turn a record of its session.

/** Where the next turn of a chat begins that is written down with who speaks. */
const TURN = /\n(?=(?:user|assistant): )/
const SPOKEN = /^(user|assistant): ([\s\S]*)$/
/** Messages of one chat are so far apart. */
const APART_MS = 1000

/**
 * The messages of chats as they are stored, each with the chat as its session.
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
