// Builds the console into the folder that is given, or into the server's package: `npm run console:build`.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))
const outDir = process.argv[2] ?? fileURLToPath(new URL('../server/console', import.meta.url))

execFileSync(process.execPath, [`${here}node_modules/typescript/bin/tsc`, '-p', here], { stdio: 'inherit' })
await build({
  root: here,
  base: '/console/',
  configFile: false,
  logLevel: 'warn',
  plugins: [react()],
  resolve: {
    alias: { '@cairnstore/client': fileURLToPath(new URL('../client/src/index.ts', import.meta.url)) },
  },
  build: {
    outDir,
    emptyOutDir: true,
    // The page's policy takes no data: addresses, so that nothing may be written into a file that refers to it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
  },
})
