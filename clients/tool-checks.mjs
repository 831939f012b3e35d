import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const UV = 'uv==0.13.9'
const RUN_MS_MAX = 300_000
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024

/**
 * A folder of its own for other people's tools, which are fetched from the registries by their versions, since nothing
 * else needs them. Gives it to `work`, and removes it.
 * @param {string} name
 * @param {(tools: ToolChecks) => Promise<void>} work
 */
export async function withTools(name, work) {
  const tools = new ToolChecks(mkdtempSync(join(tmpdir(), `cairn-${name}-`)))
  try {
    await work(tools)
  } finally {
    rmSync(tools.folder, { recursive: true, force: true })
  }
}

/** A port of loopback that nobody listens on at the moment. @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
      server.close(() => resolve(port))
    })
  })
}

export class ToolChecks {
  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder
  }

  /** Installs these packages of npm. @param {string[]} packages */
  async install(packages) {
    writeFileSync(join(this.folder, 'package.json'), '{"private": true, "type": "module"}')
    const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
    await this.check('install', async () => {
      await this.printed('npm', ['install', ...quiet, ...packages])
      return `${packages.length} tools`
    })
  }

  /** The program of this name of a package of npm. @param {string} name */
  bin(name) {
    return join(this.folder, 'node_modules', '.bin', name)
  }

  /**
   * Installs these packages of PyPI, and gives where their programs are. uv does it, which pip takes ten times as long
   * for where there are a hundred of them.
   * @param {string[]} packages
   */
  async installPython(packages) {
    const bin = join(this.folder, 'python', 'bin')
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
    await this.printed('python3', ['-m', 'venv', 'python'])
    await this.printed(join(bin, 'python'), [...pip, UV])
    await this.printed(join(bin, 'uv'), ['pip', 'install', '--quiet', '--python', join(bin, 'python'), ...packages])
    return bin
  }

  /**
   * What a program prints; throws with that when it fails.
   * @param {string} command @param {string[]} args @param {string} [cwd] @param {NodeJS.ProcessEnv} [env]
   * @returns {Promise<string>}
   */
  async printed(command, args, cwd = this.folder, env = process.env) {
    const options = { cwd, env, timeout: RUN_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX }
    try {
      const { stdout, stderr } = await promisify(execFile)(command, args, options)
      return `${stdout}${stderr}`
    } catch (error) {
      const { stdout = '', stderr = '' } = /** @type {{ stdout?: string, stderr?: string }} */ (error)
      throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error })
    }
  }

  /** Does a check, and prints what it says. @param {string} name @param {() => Promise<string>} run */
  async check(name, run) {
    const startedAt = performance.now()
    const said = await run()
    process.stdout.write(`${name}: ${said} (${((performance.now() - startedAt) / 1000).toFixed(0)} s)\n`)
  }
}
