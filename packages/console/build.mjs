// Builds the console into the given folder. `npm run console:build` runs it.
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))
const [, , outDir] = process.argv

await build({
  root: here,
  base: '/console/',
  configFile: false,
  logLevel: 'error',
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
