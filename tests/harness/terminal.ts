import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * Python program that runs a command in a pseudo-terminal and relays it. With a pipe, programs would detect that there
 * is no terminal.
 */
const RELAY = 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)'
const PRINTED_MS_MAX = 600_000
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what steers a terminal.
const STEERING = /\u001b\[[0-9;?]*[A-Za-z]|\r|\u001b[()][A-Z0-9]/g

/** An interactive shell in a pseudo-terminal. */
export interface Terminal {
  process: ChildProcess
  /** Types a line followed by Enter. */
  type(line: string): void
  /** Waits for a match and returns the output since the previous match, without control sequences. */
  until(pattern: RegExp): Promise<string>
  close(): Promise<void>
}

/** Starts `bash` in a folder without configuration files and with only these settings. */
export function openTerminal(cwd: string, settings: Record<string, string>): Terminal {
  const { PATH = '' } = process.env
  const child = spawn('python3', ['-c', RELAY, 'bash', '--norc', '--noprofile', '--noediting', '-i'], {
    cwd,
    env: { PATH, TERM: 'xterm', ...settings },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let printed = ''
  let read = 0
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text
  })
  const plain = () => printed.replaceAll(STEERING, '').slice(read)
  const ended = once(child, 'close')
  return {
    process: child,
    type: (line) => void child.stdin.write(`${line}\r`),
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const fail = () => reject(new Error(`The terminal has not shown ${pattern}: ${plain()}`))
        const timer = setTimeout(fail, PRINTED_MS_MAX)
        const settle = () => {
          const text = plain()
          const found = pattern.exec(text)
          if (!found) return
          clearTimeout(timer)
          child.stdout.off('data', settle)
          const end = found.index + found[0].length
          read += end
          resolve(text.slice(0, end))
        }
        child.stdout.on('data', settle)
        settle()
      }),
    close: async () => {
      child.stdin.end()
      child.kill('SIGHUP')
      await ended
    },
  }
}
