import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const UV = 'uv==0.13.9'
const RUN_MS_MAX = 300_000
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024

/**
 * Runs `work` with a temporary folder for third-party tools, then deletes it. The tools are fetched from registries by
 * version because nothing else in the project uses them.
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

export class ToolChecks {
  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder
  }

  /** Installs npm packages. @param {string[]} packages */
  async install(packages) {
    writeFileSync(join(this.folder, 'package.json'), '{"private": true, "type": "module"}')
    const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
    await this.check('install', async () => {
      await this.printed('npm', ['install', ...quiet, ...packages])
      return `${packages.length} tools`
    })
  }

  /** Returns the path of an installed npm package's program. @param {string} name */
  bin(name) {
    return join(this.folder, 'node_modules', '.bin', name)
  }

  /**
   * Installs PyPI packages and returns the folder of their programs. Uses uv, which is ten times faster than pip for
   * about a hundred packages.
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
   * Returns a program's output. Throws with that output if it fails.
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

  /** Runs a check and prints its result. @param {string} name @param {() => Promise<string>} run */
  async check(name, run) {
    const startedAt = performance.now()
    const said = await run()
    process.stdout.write(`${name}: ${said} (${((performance.now() - startedAt) / 1000).toFixed(0)} s)\n`)
  }
}
