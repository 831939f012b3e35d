// Posts over keep-alive connections with minimal CPU use, because the sender shares the machine with the measured
// server. Requests are written to sockets unchanged, and only the status and length of a reply are parsed.
import { connect } from 'node:net'

const CR_LF_TWICE = '\r\n\r\n'

/**
 * Opens a sender to a local server. Connections are opened on demand.
 * @param {string} url
 * @param {number} connections maximum number of concurrent requests
 */
export function openSender(url, connections) {
  const { hostname, port } = new URL(url)
  const free = []
  let opened = 0
  const takeLine = () => {
    if (free.length > 0) return free.pop()
    if (opened === connections) throw new Error('More requests are in flight than there are connections.')
    opened += 1
    return openLine(hostname, Number(port))
  }
  return {
    /**
     * Resolves if the reply is a success; rejects with its status otherwise.
     * @param {string} path @param {string} body @param {Record<string, string>} headers
     */
    async post(path, body, headers) {
      const line = takeLine()
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      const head = `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\n${lines.join('')}`
      const status = await line.ask(`${head}content-length: ${Buffer.byteLength(body)}${CR_LF_TWICE}${body}`)
      free.push(line)
      if (status >= 300) throw new Error(`${path}: ${status}`)
    },
    close() {
      for (const line of free) line.close()
    },
  }
}

function openLine(host, port) {
  const socket = connect({ host, port, noDelay: true })
  let received = ''
  let answered = { resolve: (_status) => {}, reject: (_cause) => {} }
  const read = () => {
    const headEnds = received.indexOf(CR_LF_TWICE)
    if (headEnds < 0) return
    const head = received.slice(0, headEnds)
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    const ends = headEnds + CR_LF_TWICE.length + length
    if (received.length < ends) return
    received = received.slice(ends)
    answered.resolve(Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)))
  }
  socket.setEncoding('latin1').on('data', (piece) => {
    received += piece
    read()
  })
  socket.on('error', (cause) => answered.reject(cause))
  socket.on('close', () => answered.reject(new Error('The server hung up.')))
  return {
    ask: (text) =>
      new Promise((resolve, reject) => {
        answered = { resolve, reject }
        socket.write(text)
      }),
    close: () => socket.destroy(),
  }
}
