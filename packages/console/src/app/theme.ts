import { createTheme } from '@mantine/core'

/**
 * Settings of Mantine's components. The page's content security policy forbids inline styles, so Mantine's variables
 * are served as a file, and our own colors are set in `app.css`.
 */
export const theme = createTheme({
  respectReducedMotion: true,
  primaryColor: 'teal',
  cursorType: 'pointer',
  defaultRadius: 'md',
})
