// Hook that runs when an agent has answered: stores the user's question and the agent's last message, but no tool
// output.
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { runHook } from './run-hook.mjs'

const TAIL_BYTES_MAX = 4 * 1024 * 1024
const TEXT_CHARS_MAX = 20_000

/** Returns the last lines of a file without a truncated first one. @param {string} path */
async function lastLines(path) {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const length = Math.min(size, TAIL_BYTES_MAX)
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
    const lines = buffer.toString().split('\n')
    return length < size ? lines.slice(1) : lines
  } finally {
    await file.close()
  }
}

/**
 * Returns the message in a line of a Claude Code or Codex transcript. Returns undefined if the line is no text of a
 * user or an agent. Text that begins with a tag was inserted by the program.
 * @param {string} line
 */
function messageIn(line) {
  if (line === '') return
  const entry = JSON.parse(line)
  if (entry.isMeta || entry.isSidechain) return
  const { role, content } = (entry.type === 'response_item' ? entry.payload : entry.message) ?? {}
  if (role !== 'user' && role !== 'assistant') return
  const parts = typeof content === 'string' ? [content] : (content ?? []).map((/** @type {any} */ { text }) => text)
  const text = parts.filter(Boolean).join('\n').trim()
  if (text === '' || text.startsWith('<')) return
  return { role, text, id: entry.uuid ?? entry.timestamp, created_at: entry.timestamp }
}

await runHook(async ({ session_id, transcript_path, cwd = '', last_assistant_message: told }, ask) => {
  if (process.env.CAIRN_REMEMBER === 'off') return
  const messages = (await lastLines(transcript_path)).flatMap((line) => messageIn(line) ?? [])
  const asked = messages.findLast(({ role }) => role === 'user')
  const last = messages.at(-1)
  const answer = told ?? (last?.role === 'assistant' ? last.text : undefined)
  if (asked === undefined || !answer) return
  const { id, created_at, text } = asked
  const name = `Agent in ${basename(cwd)}`
  // An answer that continues after another stop replaces its earlier version.
  const kept = [
    { id, role: 'user', created_at, content: text.slice(0, TEXT_CHARS_MAX) },
    {
      id: `${id} answer`,
      role: 'assistant',
      name,
      created_at: last?.created_at,
      content: answer.slice(0, TEXT_CHARS_MAX),
    },
  ]
  await ask('storage', 'messages', { session_id: `agent-${session_id}`, messages: kept })
})
