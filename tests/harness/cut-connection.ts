import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** File name of a PostgreSQL server's socket. */
const SOCKET = '.s.PGSQL.5432'

/** A proxy between a program and its database that can drop the database's reply. */
export interface CuttableDatabase {
  /** Connection URL of the proxy. */
  url: string
  /**
   * Commits the next transaction that contains this text, then cuts the connection before the client gets the reply.
   * Matches the text as it is and as hexadecimal digits.
   */
  cutAfterCommitOf(text: string): void
  /** Number of connections that were cut. */
  readonly cuts: number
  close(): Promise<void>
}

/** Starts a proxy for the database at this URL, which must be a Unix socket in a folder. */
export async function openCuttable(url: string): Promise<CuttableDatabase> {
  const address = new URL(url)
  const server = join(address.searchParams.get('host') ?? '', SOCKET)
  const folder = mkdtempSync(join(tmpdir(), 'cairn-cut-'))
  const open = new Set<Socket>()
  let wanted: string[] = []
  let cuts = 0
  const between = createServer((client) => {
    const upstream = connect(server)
    let isTheOne = false
    let isCommitting = false
    for (const socket of [client, upstream]) open.add(socket)
    const end = () => {
      for (const socket of [client, upstream]) {
        socket.destroy()
        open.delete(socket)
      }
    }
    client.on('data', (sent) => {
      const text = sent.toString('latin1')
      isTheOne ||= wanted.some((each) => text.includes(each))
      isCommitting = isTheOne && /\bcommit\b/.test(text)
      upstream.write(sent)
    })
    upstream.on('data', (answered) => {
      if (!isCommitting) return client.write(answered)
      wanted = []
      cuts += 1
      end()
    })
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end)
  })
  await new Promise<void>((resolve) => between.listen(join(folder, SOCKET), resolve))
  address.searchParams.set('host', folder)
  return {
    url: address.toString(),
    cutAfterCommitOf: (text) => {
      wanted = [text, Buffer.from(text).toString('hex')]
    },
    get cuts() {
      return cuts
    },
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => between.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
